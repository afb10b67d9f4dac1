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

/** Where the bytes of a receipt count. */
export interface ReceiptMemory {
  readonly hold: AnswerHold
  readonly signal: AbortSignal
}

/** Names of records, listed in pages: where a check of each of many documents would take a request each. */
export interface RecordListing {
  /** The name that a document's record has. */
  nameOf(key: SourceKey): string
  /**
   * Hands every name that is there to `add`, in no order. Some keys of the store, in no order, divide it into
   * ranges that are listed side by side; any will do.
   */
  list(some: readonly SourceKey[], add: (name: string) => void, signal: AbortSignal): Promise<void>
}

/** The answers of parsers, kept byte for byte. */
export interface Receipts {
  /**
   * The answer that was kept, or null; never null while the store is away. A damaged receipt counts as none. `memory` is reserved before it is unpacked;
   * its body counts for it then.
   */
  read(id: ReceiptId, memory?: ReceiptMemory): Promise<Receipt | null>
  /**
   * Atomic and repeatable: after it, the receipt is there whole, or the call threw and it is not there. A whole one that
   * was there stays as it is, unless an older engine made it (`replaces`), and counts as saved now: so it is kept from
   * being collected while a record is made for it.
   */
  save(id: ReceiptId, body: Buffer, parser: ParserFacts | null): Promise<void>
  /**
   * Says whether it is gone. `savedAt`, as a listing gave it: one that was saved again since stays, so that a process that
   * is about to refer to it keeps it.
   */
  remove(id: ReceiptId, savedAt?: number): Promise<boolean>
  /** All, or those of these bytes and of some of their pages, which costs one request or one read of a folder. */
  list(signal: AbortSignal, content?: ContentHash): AsyncIterable<KeptReceipt>
}

/** The records of documents, and the outputs that they name. */
export interface Documents {
  /** The record; null when nothing is committed for this key. */
  read(key: SourceKey): Promise<DocumentRecord | null>
  /**
   * `listed`: the record as this store gave it a moment ago, which spares reading it again. Once a newer commit replaced
   * it, the output may be of either.
   */
  readOutput(key: SourceKey, name: string, listed?: DocumentRecord): Promise<Buffer | null>
  /**
   * All or nothing, record last (Law 3): a reader sees the old outputs or the new ones. Repeatable. Files of an
   * earlier commit that are not in this one are gone after it, and so is the document's dead letter. Throws
   * `RecordOfOther` where the present record is of another source, and `ClaimLost` where it was committed under a later claim;
   * neither changes anything.
   */
  commit(record: DocumentRecord, files: ReadonlyMap<string, Uint8Array>): Promise<void>
  /** Removes record, outputs and dead letter of a document, never its receipt (others may share it). Repeatable. */
  remove(key: SourceKey): Promise<void>
  /**
   * All records. Calls `onUnreadable` with the path in the store of each `record.json` that cannot be read, or is that of another document, and leaves it out. A document
   * that is replaced meanwhile comes as it was or as it is. Should it be left out all the same, its receipts count as
   * saved since the listing began.
   */
  list(signal: AbortSignal, onUnreadable?: (path: string) => void): AsyncIterable<DocumentRecord>
  /** Whether each of these documents has a record, in their order, without reading the records. */
  have(keys: readonly SourceKey[]): Promise<readonly boolean[]>
  /** Null where `have` costs no request. */
  readonly listing: RecordListing | null
}

/** The last failure of each document that failed. */
export interface DeadLetters {
  read(key: SourceKey): Promise<DeadLetter | null>
  /** Keeps a failure. Outputs of an earlier version stay where they are. Repeatable, the last one stands. */
  bury(letter: DeadLetter): Promise<void>
  list(signal: AbortSignal): AsyncIterable<DeadLetter>
}

/** The format of a store, and the sources in it. */
export interface Manifest {
  /** Null for a store of format 1, or an empty one. Throws `StoreRefused` for one of a later format. */
  read(): Promise<StoreManifest | null>
  /**
   * Atomic. Writes the manifest when the store has none (`revision` 1), or has the revision before this one; else
   * nothing is written and the answer is false. Of processes that write at the same time one succeeds.
   */
  write(manifest: StoreManifest): Promise<boolean>
}

export interface Maintenance {
  /** Writes something, makes sure of it and removes it: before anything is bought. Throws `StoreUnusable`. */
  probe(): Promise<StoreProbe>
  /** Asked before each purchase, without a write: throws `StoreUnusable` where its answer could not be kept. */
  checkSpace(): Promise<void>
  /** Finishes or undoes what a crash left half done. Run once before a run. */
  recover(): Promise<void>
  /** Reads everything that is there, but no record again that was listed just before. What is written meanwhile is no orphan. */
  orphans(signal: AbortSignal): AsyncIterable<Orphan>
  /** Removes a foreign one for good. Repeatable. */
  removeOrphan(orphan: Orphan): Promise<void>
}

/** Where outputs, receipts and dead letters go: one folder or bucket, by its ports. Each is a field of the object. */
export interface OutputStore {
  readonly url: string
  readonly receipts: Receipts
  readonly documents: Documents
  readonly deadLetters: DeadLetters
  readonly manifest: Manifest
  readonly maintenance: Maintenance
  readonly feed: FeedStorage
  /** Keeps two queues from one store; a store without it takes all. */
  readonly lease?: LeaseStorage
  readonly notes: NoteStorage
}
