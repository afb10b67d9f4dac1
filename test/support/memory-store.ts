import { refuseEarlierClaim } from '#src/document/claim-lost.ts'
import { type ReceiptId, sourceKey, type SourceKey } from '#src/document/ids.ts'
import { type ParserFacts, replaces } from '#src/document/parser.ts'
import type { NoteStorage } from '#src/ports/note-storage.ts'
import type { FeedStorage, PlacedRecord, RecordStamp } from '#src/ports/feed-storage.ts'
import type { DeadLetter, DocumentRecord, KeptReceipt, Receipt } from '#src/document/record.ts'
import { RecordOfOther } from '#src/document/record-of-other.ts'
import { sameOwner, type StoreManifest } from '#src/document/store-manifest.ts'
import type { StoreProbe } from '#src/document/store-probe.ts'
import type { OutputStore } from '#src/ports/output-store.ts'
import type { Orphan } from '#src/document/orphan.ts'

/** The promises of an output store in their shortest form: what the conformance suite is read against. */
export class MemoryStore implements OutputStore {
  readonly url = 'memory:'
  readonly notes: NoteStorage = new MemoryNotes()
  readonly feed: FeedStorage = new MemoryFeed(
    (place) => this.#documents.get(sourceKey(place))?.record ?? null,
    () => this.#documents.keys(),
  )
  readonly #receipts = new Map<ReceiptId, Receipt & { savedAt: number }>()
  readonly #documents = new Map<SourceKey, { record: DocumentRecord; files: ReadonlyMap<string, Buffer> }>()
  readonly #letters = new Map<SourceKey, DeadLetter>()

  #manifest: StoreManifest | null = null

  async readManifest(): Promise<StoreManifest | null> {
    return this.#manifest
  }
  async writeManifest(manifest: StoreManifest): Promise<boolean> {
    if (manifest.revision !== (this.#manifest?.revision ?? 0) + 1) return false
    this.#manifest = manifest
    return true
  }
  readonly recordListing = null
  async haveRecords(keys: readonly SourceKey[]): Promise<readonly boolean[]> {
    return keys.map((key) => this.#documents.has(key))
  }

  async probe(): Promise<StoreProbe> {
    return { warning: null }
  }
  async checkSpace(): Promise<void> {}
  async readReceipt(id: ReceiptId): Promise<Receipt | null> {
    return this.#receipts.get(id) ?? null
  }
  async saveReceipt(id: ReceiptId, body: Buffer, parser: ParserFacts | null): Promise<void> {
    const before = this.#receipts.get(id)
    const stays = before !== undefined && (parser === null || !replaces(parser, before.parser))
    const kept = stays ? before : { body: Buffer.from(body), parser }
    this.#receipts.set(id, { ...kept, savedAt: Date.now() })
  }
  async removeReceipt(id: ReceiptId, savedAt?: number): Promise<boolean> {
    const kept = this.#receipts.get(id)
    if (savedAt !== undefined && kept !== undefined && kept.savedAt !== savedAt) return false
    this.#receipts.delete(id)
    return true
  }
  async *listReceipts(_signal?: AbortSignal, content = ''): AsyncGenerator<KeptReceipt> {
    for (const [id, { savedAt }] of this.#receipts) if (id.startsWith(content)) yield { id, savedAt }
  }
  async readRecord(key: SourceKey): Promise<DocumentRecord | null> {
    return this.#documents.get(key)?.record ?? null
  }
  async commit(record: DocumentRecord, files: ReadonlyMap<string, Uint8Array>): Promise<void> {
    if (record.files.length !== files.size) throw new Error('the record does not list the files committed with it')
    const present = this.#documents.get(record.key)?.record
    if (present !== undefined && !sameOwner(present, record)) throw new RecordOfOther(present.source)
    if (present !== undefined) refuseEarlierClaim(record, present)
    const copies = new Map([...files].map(([name, bytes]) => [name, Buffer.from(bytes)]))
    this.#documents.set(record.key, { record: structuredClone(record), files: copies })
    this.#letters.delete(record.key)
  }
  async readOutput(key: SourceKey, name: string): Promise<Buffer | null> {
    return this.#documents.get(key)?.files.get(name) ?? null
  }
  async *listRecords(): AsyncGenerator<DocumentRecord> {
    for (const { record } of this.#documents.values()) yield record
  }
  async remove(key: SourceKey): Promise<void> {
    this.#documents.delete(key)
    this.#letters.delete(key)
  }
  async readDeadLetter(key: SourceKey): Promise<DeadLetter | null> {
    return this.#letters.get(key) ?? null
  }
  async bury(letter: DeadLetter): Promise<void> {
    this.#letters.set(letter.key, structuredClone(letter))
  }
  async *listDeadLetters(): AsyncGenerator<DeadLetter> {
    yield* this.#letters.values()
  }
  async recover(): Promise<void> {}
  async *listOrphans(): AsyncGenerator<Orphan> {}
  async removeOrphan(): Promise<void> {}
}

class MemoryNotes implements NoteStorage {
  readonly #files = new Map<string, Buffer>()

  async read(name: string): Promise<Buffer | null> {
    return this.#files.get(name) ?? null
  }
  async write(name: string, bytes: Uint8Array): Promise<void> {
    this.#files.set(name, Buffer.from(bytes))
  }
}

class MemoryFeed implements FeedStorage {
  readonly #files = new Map<string, Buffer>()
  readonly #recordOf: (place: string) => DocumentRecord | null
  readonly #places: () => Iterable<string>

  constructor(recordOf: (place: string) => DocumentRecord | null, places: () => Iterable<string>) {
    this.#recordOf = recordOf
    this.#places = places
  }

  async create(name: string, bytes: Uint8Array): Promise<boolean> {
    if (this.#files.has(name)) return false
    this.#files.set(name, Buffer.from(bytes))
    return true
  }
  async read(name: string): Promise<Buffer | null> {
    return this.#files.get(name) ?? null
  }
  async remove(name: string): Promise<void> {
    this.#files.delete(name)
  }
  async list(after: string): Promise<readonly string[]> {
    return [...this.#files.keys()].filter((name) => name > after).toSorted()
  }
  async *stamps(): AsyncGenerator<readonly RecordStamp[]> {
    const places = [...this.#places()]
    for (const place of places) {
      const record = this.#recordOf(place)
      if (record !== null) yield [{ place, stamp: JSON.stringify(record) }]
    }
  }
  async recordAt(place: string): Promise<PlacedRecord | null> {
    const record = this.#recordOf(place)
    return record === null ? null : { record, folder: place }
  }
}
