import type { ClaimNumber } from '#src/document/claim-lost.ts'
import type { ReceiptId, SourceKey } from '#src/document/ids.ts'
import type { LedgerChange, LedgerEntry, Settled } from '#src/document/ledger-entry.ts'
import type { Counts } from '#src/document/outcome.ts'

/** The index of records: source key → version, recipe, outcome. Rebuilt from the store when Redis is lost (Law 4). */
export interface Ledger {
  /** In the order of `keys`; null for a key never seen. */
  read(keys: readonly SourceKey[]): Promise<readonly (LedgerEntry | null)[]>
  /** Atomic for the batch: entries and counts change together (Law 1). Repeatable. */
  write(entries: readonly (readonly [SourceKey, LedgerEntry])[]): Promise<void>
  /**
   * As `write`, by compare-and-set: an entry that is not `known` any more stays as it is. Answers for each, in their
   * order, whether it was written.
   */
  advance(changes: readonly LedgerChange[]): Promise<readonly boolean[]>
  /** As `write`; an entry that is there stays, unless it is pending for what came out. Answers how many were written. */
  adopt(entries: readonly (readonly [SourceKey, LedgerEntry])[]): Promise<number>
  /** As `write` for one key, but only while the entry still is for `entry.version`, or none is there: Redis lost it. */
  settle(key: SourceKey, entry: LedgerEntry): Promise<Settled>
  /** Documents that ever came from pending to an end, by any process; `advance` ends none. Begins anew when Redis is lost. */
  endedTotal(): Promise<number>
  forget(keys: readonly SourceKey[]): Promise<void>
  counts(): Promise<Counts>
  /** Entries with `isLocal`. */
  localCount(): Promise<number>
  /** Streams all entries, in no order. An entry written meanwhile may be missed or seen twice. */
  entries(signal: AbortSignal): AsyncIterable<readonly [SourceKey, LedgerEntry]>
}

/** A worker's hold on one document, so that no two workers have it at a time (a stalled job may come twice). */
export interface Claim {
  /** Later than that of every earlier claim of the document, also across a loss of Redis. */
  readonly number: ClaimNumber
  /** False once the hold ran out and another worker may have the document: then nothing may be committed. */
  stillHeld(): Promise<boolean>
  release(): Promise<void> // May be called again.
}

export interface Claims {
  /** Null while another live worker has the document. The hold is renewed by itself until released. */
  claim(key: SourceKey): Promise<Claim | null>
}

/**
 * What is about to be bought. An intent is written before a request and cleared when its receipt is safe; one left by
 * a process that died, or that let go of its request, is `ambiguous`: whether it was charged is unknown (Law 2).
 */
export interface Intents {
  /** `again`: an earlier request for it is ambiguous. `busy`: a live process is buying this very receipt, for a copy. `held`: a request for it is ambiguous, and stays. */
  begin(id: ReceiptId, key: SourceKey): Promise<'begun' | 'again' | 'busy' | 'held'>
  /** What is held of a receipt, or of a document and its pieces, may be sent again; it stays counted. Repeatable. */
  release(id: ReceiptId, key: SourceKey): Promise<void>
  clear(id: ReceiptId): Promise<void>
  /** Sends no command. False where this process stalled since `begin`, so that another may have sent the request. */
  stands(id: ReceiptId): boolean
  /** The receipt was found: what an earlier try for it left, for this document or by a dead process, is in doubt no more. */
  conclude(id: ReceiptId, key: SourceKey): Promise<void>
}
