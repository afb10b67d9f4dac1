import type { SourceKey } from './ids.ts'

/** What is special about some sources. */
export interface SourceTraits {
  /** Where the service fetches a document by itself; undefined for one that is read here. */
  readonly addressOf?: (key: SourceKey) => string | undefined
  /** True for a list that is an order and no inventory: a document that is not listed is not gone. */
  readonly isPartial?: boolean
}
