import type { DocumentRecord } from '#src/document/record.ts'

/** A record that a listing returned without its content. */
export interface RecordStamp {
  /** Folder of the document, relative to the store: `documents/reports/q3.pdf`. */
  readonly place: string
  /** Changes with each commit that changed something. Stamps compare for equality only. */
  readonly stamp: string
}

export interface PlacedRecord {
  readonly record: DocumentRecord
  /**
   * Folder of the outputs that the record names, relative to the store. In a bucket each commit has a separate folder.
   */
  readonly folder: string
}

/** Storage of the change feed: immutable files below `changes/`, and stamps that change with each commit. */
export interface FeedStorage {
  /** Atomic exclusive create; false if a file has this name. No reader sees a partial file. */
  create(name: string, bytes: Uint8Array): Promise<boolean>
  /** Idempotent. */
  remove(name: string): Promise<void>
  /** Null if the file does not exist. */
  read(name: string): Promise<Buffer | null>
  /** Names below `changes/` after `after`, in byte order. */
  list(after: string): Promise<readonly string[]>
  /**
   * Streams a stamp of each record in batches, without reading records. Throws if the listing cannot be complete. It
   * may miss a document committed during the listing.
   */
  stamps(signal: AbortSignal): AsyncIterable<readonly RecordStamp[]>
  /** Null if no complete record is there. */
  recordAt(place: string): Promise<PlacedRecord | null>
}
