import type { AnswerHold } from '#src/kit/answer-memory.ts'
import type { NoteStorage } from './note-storage.ts'
import type { FeedStorage } from './feed-storage.ts'
import type { LeaseStorage } from './lease-storage.ts'
import type { ContentHash, ReceiptId, SourceKey } from '#src/document/ids.ts'
import type { ParserFacts } from '#src/document/parser.ts'
import type { DeadLetter, DocumentRecord, KeptReceipt, Receipt } from '#src/document/record.ts'
import type { StoreProbe } from '#src/document/store-probe.ts'
import type { StoreManifest } from '#src/document/store-manifest.ts'
import type { Orphan } from '#src/document/orphan.ts'

/** Memory budget for the bytes of a receipt. */
export interface ReceiptMemory {
  readonly hold: AnswerHold
  readonly signal: AbortSignal
}

/** Names of records, listed in pages: a listing replaces a request per document. */
export interface RecordListing {
  /** Name of the document's record. */
  nameOf(key: SourceKey): string
  /**
   * Passes every existing name to `add`, in no order. `some` holds any keys of the store, in no order. They divide it
   * into ranges for concurrent listing.
   */
  list(some: readonly SourceKey[], add: (name: string) => void, signal: AbortSignal): Promise<void>
}

/** Answers of parsers, stored byte for byte. */
export interface Receipts {
  /**
   * The stored answer. Null if it does not exist or is damaged; throws if the store is unavailable. The call reserves
   * `memory` before it unpacks the receipt, and the body counts against it from then on.
   */
  read(id: ReceiptId, memory?: ReceiptMemory): Promise<Receipt | null>
  /**
   * Atomic and idempotent: the receipt is complete afterwards, or the call throws and it does not exist. A complete
   * receipt stays unchanged, unless an older engine made it (`replaces`). It counts as saved now, so no collection
   * removes it before its record exists.
   */
  save(id: ReceiptId, body: Buffer, parser: ParserFacts | null): Promise<void>
  /**
   * Returns true if the receipt is gone. `savedAt` comes from a listing. A receipt saved again since then stays,
   * because a process is about to refer to it.
   */
  remove(id: ReceiptId, savedAt?: number): Promise<boolean>
  /**
   * All receipts, or those of `content` and of some of its pages. The latter costs one request or one read of a folder.
   */
  list(signal: AbortSignal, content?: ContentHash): AsyncIterable<KeptReceipt>
}

/** The records of documents, and the outputs that they name. */
export interface Documents {
  /** The record; null if nothing is committed for this key. */
  read(key: SourceKey): Promise<DocumentRecord | null>
  /**
   * `listed`: the record that this store returned a moment ago; it saves a second read. After a newer commit, the
   * output may belong to either record.
   */
  readOutput(key: SourceKey, name: string, listed?: DocumentRecord): Promise<Buffer | null>
  /**
   * Atomic, with the record last (Law 3): a reader sees the old outputs or the new ones. Idempotent. It removes files
   * of an earlier commit that this one lacks, and the document's dead letter. Throws `RecordOfOther` if the present
   * record belongs to another source. Throws `ClaimLost` if a later claim committed it. Neither changes anything.
   */
  commit(record: DocumentRecord, files: ReadonlyMap<string, Uint8Array>): Promise<void>
  /** Removes record, outputs and dead letter of a document, but not its receipt, which others may share. Idempotent. */
  remove(key: SourceKey): Promise<void>
  /**
   * All records. Skips each `record.json` that is unreadable or belongs to another document, and calls `onUnreadable`
   * with its path in the store. A document replaced during the listing appears in its old or new state. If the listing
   * misses it, its receipts count as saved since the listing started.
   */
  list(signal: AbortSignal, onUnreadable?: (path: string) => void): AsyncIterable<DocumentRecord>
  /** True for each document that has a record, in order, without reading the records. */
  have(keys: readonly SourceKey[]): Promise<readonly boolean[]>
  /** Null if `have` costs no request. */
  readonly listing: RecordListing | null
}

/** Dead letters: the last failure of each failed document. */
export interface DeadLetters {
  read(key: SourceKey): Promise<DeadLetter | null>
  /** Stores a failure. Outputs of an earlier version stay. Idempotent; the last one counts. */
  bury(letter: DeadLetter): Promise<void>
  list(signal: AbortSignal): AsyncIterable<DeadLetter>
}

/** Format and sources of a store. */
export interface Manifest {
  /** Null for a store of format 1 or an empty one. Throws `StoreRefused` for a later format. */
  read(): Promise<StoreManifest | null>
  /**
   * Atomic. Writes the manifest if the store has none (`revision` 1) or has the previous revision. Otherwise it writes
   * nothing and returns false. Exactly one of several concurrent writers succeeds.
   */
  write(manifest: StoreManifest): Promise<boolean>
}

export interface Maintenance {
  /** Writes a file, verifies it and removes it, before any purchase. Throws `StoreUnusable`. */
  probe(): Promise<StoreProbe>
  /** Called before each purchase, without a write. Throws `StoreUnusable` if the store could not save the answer. */
  checkSpace(): Promise<void>
  /** Completes or reverts work that a crash interrupted. Runs once before a run. */
  recover(): Promise<void>
  /**
   * Reads every file, but reuses the records of a listing just before. A file written during the scan is not an orphan.
   */
  orphans(signal: AbortSignal): AsyncIterable<Orphan>
  /** Permanently removes an orphan of kind `foreign`. Idempotent. */
  removeOrphan(orphan: Orphan): Promise<void>
}

/** Store of outputs, receipts and dead letters: one folder or bucket, by its ports. Each is a field of the object. */
export interface OutputStore {
  readonly url: string
  readonly receipts: Receipts
  readonly documents: Documents
  readonly deadLetters: DeadLetters
  readonly manifest: Manifest
  readonly maintenance: Maintenance
  readonly feed: FeedStorage
  /** Restricts a store to one queue. A store without it accepts any number. */
  readonly lease?: LeaseStorage
  readonly notes: NoteStorage
}
