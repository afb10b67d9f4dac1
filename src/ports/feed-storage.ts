import type { DocumentRecord } from '#src/document/record.ts'

/** A record that was listed and not read. */
export interface RecordStamp {
  /** Folder of the document, relative to the store: `documents/reports/q3.pdf`. */
  readonly place: string
  /** Another one after each commit that changed something; compared for equality only. */
  readonly stamp: string
}

export interface PlacedRecord {
  readonly record: DocumentRecord
  /** Folder of the outputs that the record names, relative to the store. In a bucket each commit has one of its own. */
  readonly folder: string
}

/** What the change feed needs of a store: files below `changes/` that are never changed, and what changes with each commit. */
export interface FeedStorage {
  /** Atomic exclusive create: false where there is a file of this name. No reader sees a part. */
  create(name: string, bytes: Uint8Array): Promise<boolean>
  /** Repeatable. */
  remove(name: string): Promise<void>
  /** Null where there is none. */
  read(name: string): Promise<Buffer | null>
  /** Names below `changes/` that come after `after`, in the order of their bytes. */
  list(after: string): Promise<readonly string[]>
  /**
   * Streams a stamp of each record in batches, without reading records. Throws where the listing cannot be whole. A
   * document that is committed meanwhile may be missing.
   */
  stamps(signal: AbortSignal): AsyncIterable<readonly RecordStamp[]>
  /** Null where no whole record is there. */
  recordAt(place: string): Promise<PlacedRecord | null>
}
