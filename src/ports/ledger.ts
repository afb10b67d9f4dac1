import type { ClaimNumber } from '#src/document/claim-lost.ts'
import type { ReceiptId, SourceKey } from '#src/document/ids.ts'
import type { LedgerChange, LedgerEntry, Settled } from '#src/document/ledger-entry.ts'
import type { Counts } from '#src/document/outcome.ts'

/**
 * Index of records: source key → version, recipe, outcome. A run rebuilds it from the store after a loss of Redis (Law
 * 4).
 */
export interface Ledger {
  /** In the order of `keys`; null for an unknown key. */
  read(keys: readonly SourceKey[]): Promise<readonly (LedgerEntry | null)[]>
  /** Atomic for the batch: entries and counts change together (Law 1). Idempotent. */
  write(entries: readonly (readonly [SourceKey, LedgerEntry])[]): Promise<void>
  /**
   * Like `write`, by compare-and-set: an entry that differs from `known` stays unchanged. Returns, in order, true for
   * each written entry.
   */
  advance(changes: readonly LedgerChange[]): Promise<readonly boolean[]>
  /**
   * Like `write`, but keeps an existing entry. It replaces a pending entry of the same version and recipe with any
   * outcome but `failed`. Returns the number of written entries.
   */
  adopt(entries: readonly (readonly [SourceKey, LedgerEntry])[]): Promise<number>
  /**
   * Like `write` for one key. It writes only if the entry is still for `entry.version`, or missing after a loss of
   * Redis.
   */
  settle(key: SourceKey, entry: LedgerEntry): Promise<Settled>
  /**
   * Number of documents that any process took from pending to a final outcome. `advance` counts none. A loss of Redis
   * resets it.
   */
  endedTotal(): Promise<number>
  forget(keys: readonly SourceKey[]): Promise<void>
  counts(): Promise<Counts>
  /** Number of entries with `isLocal`. */
  localCount(): Promise<number>
  /** Streams all entries, in no order. It may miss or repeat an entry written during the scan. */
  entries(signal: AbortSignal): AsyncIterable<readonly [SourceKey, LedgerEntry]>
}

/** A worker's lease of one document: no two workers hold it at a time (the queue may deliver a stalled job twice). */
export interface Claim {
  /** Higher than the number of every earlier claim of the document, also across a loss of Redis. */
  readonly number: ClaimNumber
  /** False once the lease expired and another worker may hold the document. Nothing may be committed then. */
  stillHeld(): Promise<boolean>
  release(): Promise<void> // Idempotent.
}

export interface Claims {
  /** Null while another live worker holds the document. The lease renews automatically until its release. */
  claim(key: SourceKey): Promise<Claim | null>
}

/**
 * Intents to buy. The worker writes an intent before a request and clears it once the receipt is safe. A dead process,
 * or one that abandons its request, leaves an `ambiguous` intent: the charge is unknown (Law 2).
 */
export interface Intents {
  /**
   * `again`: an earlier request for it is ambiguous. `busy`: a live process is buying this receipt for a copy. `held`:
   * a request for it is ambiguous, and the document stays held.
   */
  begin(id: ReceiptId, key: SourceKey): Promise<'begun' | 'again' | 'busy' | 'held'>
  /**
   * Allows another request for a held receipt, or for a document and its pieces. The ambiguous request stays counted.
   * Idempotent.
   */
  release(id: ReceiptId, key: SourceKey): Promise<void>
  clear(id: ReceiptId): Promise<void>
  /** Decides without a command to Redis. False if this process stalled since `begin`: another process may have sent the request. */
  isValid(id: ReceiptId): boolean
  /** The receipt was found. This clears the doubt about an earlier attempt, by this document or a dead process. */
  conclude(id: ReceiptId, key: SourceKey): Promise<void>
}
