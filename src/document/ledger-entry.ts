import { type RecipeHash, type SourceKey, type Version, version } from './ids.ts'
import type { Outcome } from './outcome.ts'

/** In the ledger instead of the version of a document that is gone: whatever comes back under its name differs from it. */
export const GONE: Version = version('gone')

/** What the ledger knows of a document. */
export interface LedgerEntry {
  readonly version: Version
  readonly recipeHash: RecipeHash
  readonly outcome: Outcome
  /** True where it is done or partial, and the embedded engine did it. */
  readonly isLocal?: boolean
}

/** `again`: the ledger had this very entry already, so that the delivery was one too many. */
export type Settled = 'ended' | 'again' | 'other_version'

/** An entry to be written instead of `known`, which is null where there was none. */
export interface LedgerChange {
  readonly key: SourceKey
  readonly known: LedgerEntry | null
  readonly entry: LedgerEntry
}
