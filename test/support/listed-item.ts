import { assertNever } from '#src/document/assert-never.ts'
import type { SourceItem } from '#src/document/source-item.ts'

/** An entry in a few words: the key of a document, and for the rest also why it is none. */
export function describeItem(entry: SourceItem): string {
  switch (entry.kind) {
    case 'document':
      return entry.key
    case 'unusable':
      return `${entry.key} ${entry.failure.code}`
    case 'skipped':
    case 'left_out':
      return `${entry.key} ${entry.kind} ${entry.reason}`
    default:
      return assertNever(entry)
  }
}

export const isTaken = ({ kind }: SourceItem): boolean => kind === 'document' || kind === 'unusable'
