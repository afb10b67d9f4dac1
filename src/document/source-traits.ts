import type { SourceKey } from './ids.ts'
import type { SkipReason } from './skip.ts'

/** Special traits of some sources. */
export interface SourceTraits {
  /** URL from which the service fetches a document; undefined for a document that Sluice reads. */
  readonly addressOf?: (key: SourceKey) => string | undefined
  /** Public address of a document on the web, for citations. It holds no login and no secret part. */
  readonly pageAddressOf?: (key: SourceKey) => string
  /** True for a list that is an order, not an inventory: a document that is not listed is not gone. */
  readonly isPartial?: boolean
  /**
   * Reason why the rules on names exclude a key, present or not; null if they do not. Ignores ignore files in the
   * source.
   */
  readonly skips?: (key: SourceKey) => SkipReason | null
}
