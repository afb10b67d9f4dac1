import { assertNever } from '#src/kit/assert-never.ts'
import type { SourceItem } from '#src/document/source-item.ts'

/** An item of a source in a few words: the key of a document, and for the rest also why it is none. */
export function describeItem(item: SourceItem): string {
  switch (item.kind) {
    case 'document':
      return item.key
    case 'unusable':
      return `${item.key} ${item.failure.code}`
    case 'skipped':
    case 'left_out':
      return `${item.key} ${item.kind} ${item.reason}`
    default:
      return assertNever(item)
  }
}

export const isTaken = ({ kind }: SourceItem): boolean => kind === 'document' || kind === 'unusable'
