import { assertNever } from '#src/document/assert-never.ts'
import type { SourceEntry } from '#src/document/source-entry.ts'

/** An entry in a few words: the key of a document, and for the rest also why it is none. */
export function describeEntry(entry: SourceEntry): string {
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

export const isTaken = ({ kind }: SourceEntry): boolean => kind === 'document' || kind === 'unusable'
