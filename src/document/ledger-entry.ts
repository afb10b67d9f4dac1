import { type RecipeHash, type SourceKey, type Version, version } from './ids.ts'
import type { Outcome } from './outcome.ts'

/**
 * Tombstone: replaces the version of a document that is gone, so that any document that returns under its key differs.
 */
export const GONE: Version = version('gone')

/** State of a document in the ledger. */
export interface LedgerEntry {
  readonly version: Version
  readonly recipeHash: RecipeHash
  readonly outcome: Outcome
  /** True if it is done or partial and the embedded engine parsed it. */
  readonly isLocal?: boolean
}

/** `again`: the ledger already had this very entry, so the delivery was a duplicate. */
export type Settled = 'ended' | 'again' | 'other-version'

/** Compare-and-set: an entry that replaces `known`, which is null for a new document. */
export interface LedgerChange {
  readonly key: SourceKey
  readonly known: LedgerEntry | null
  readonly entry: LedgerEntry
}
