import type { SourceKey } from './ids.ts'
import type { SkipReason } from './skip.ts'

/** What is special about some sources. */
export interface SourceTraits {
  /** Where the service fetches a document by itself; undefined for one that is read here. */
  readonly addressOf?: (key: SourceKey) => string | undefined
  /** True for a list that is an order and no inventory: a document that is not listed is not gone. */
  readonly isPartial?: boolean
  /**
   * Why a name is no document by the rules on names, whether or not it is there; null where it is one. Without what
   * ignore files in the source say.
   */
  readonly skips?: (key: SourceKey) => SkipReason | null
}
