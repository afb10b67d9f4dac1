import { refuseEarlierClaim } from '#src/document/claim-lost.ts'
import { type ReceiptId, sourceKey, type SourceKey } from '#src/document/ids.ts'
import { type ParserFacts, replaces } from '#src/document/parser.ts'
import type { NoteStorage } from '#src/ports/note-storage.ts'
import type { FeedStorage, PlacedRecord, RecordStamp } from '#src/ports/feed-storage.ts'
import type { DeadLetter, DocumentRecord, KeptReceipt, Receipt } from '#src/document/record.ts'
import { RecordOfOther } from '#src/document/record-of-other.ts'
import { sameOwner, type StoreManifest } from '#src/document/store-manifest.ts'
import type { DeadLetters, Documents, Maintenance, Manifest, OutputStore, Receipts } from '#src/ports/output-store.ts'

type Kept = { readonly record: DocumentRecord; readonly files: ReadonlyMap<string, Buffer> }

/** The promises of an output store in their shortest form: what the conformance suite is read against. */
export class MemoryStore implements OutputStore {
  readonly url = 'memory:'
  readonly receipts: Receipts = new MemoryReceipts()
  readonly deadLetters: DeadLetters
  readonly documents: Documents
  readonly manifest: Manifest = new MemoryManifest()
  readonly maintenance: Maintenance = {
    probe: async () => ({ warning: null }),
    checkSpace: async () => undefined,
    recover: async () => undefined,
    orphans: async function* () {},
    removeOrphan: async () => undefined,
  }
  readonly notes: NoteStorage = new MemoryNotes()
  readonly feed: FeedStorage

  constructor() {
    const letters = new Map<SourceKey, DeadLetter>()
    const kept = new Map<SourceKey, Kept>()
    this.deadLetters = new MemoryDeadLetters(letters)
    this.documents = new MemoryDocuments(kept, letters)
    this.feed = new MemoryFeed(
      (place) => kept.get(sourceKey(place))?.record ?? null,
      () => kept.keys(),
    )
  }
}

class MemoryReceipts implements Receipts {
  readonly #receipts = new Map<ReceiptId, Receipt & { savedAt: number }>()

  async read(id: ReceiptId): Promise<Receipt | null> {
    return this.#receipts.get(id) ?? null
  }
  async save(id: ReceiptId, body: Buffer, parser: ParserFacts | null): Promise<void> {
    const before = this.#receipts.get(id)
    const stays = before !== undefined && (parser === null || !replaces(parser, before.parser))
    const kept = stays ? before : { body: Buffer.from(body), parser }
    this.#receipts.set(id, { ...kept, savedAt: Date.now() })
  }
  async remove(id: ReceiptId, savedAt?: number): Promise<boolean> {
    const kept = this.#receipts.get(id)
    if (savedAt !== undefined && kept !== undefined && kept.savedAt !== savedAt) return false
    this.#receipts.delete(id)
    return true
  }
  async *list(_signal?: AbortSignal, content = ''): AsyncGenerator<KeptReceipt> {
    for (const [id, { savedAt }] of this.#receipts) if (id.startsWith(content)) yield { id, savedAt }
  }
}

class MemoryDocuments implements Documents {
  readonly #kept: Map<SourceKey, Kept>
  readonly #letters: Map<SourceKey, DeadLetter>

  constructor(kept: Map<SourceKey, Kept>, letters: Map<SourceKey, DeadLetter>) {
    this.#kept = kept
    this.#letters = letters
  }

  async read(key: SourceKey): Promise<DocumentRecord | null> {
    return this.#kept.get(key)?.record ?? null
  }
  async readOutput(key: SourceKey, name: string): Promise<Buffer | null> {
    return this.#kept.get(key)?.files.get(name) ?? null
  }
  async commit(record: DocumentRecord, files: ReadonlyMap<string, Uint8Array>): Promise<void> {
    if (record.files.length !== files.size) throw new Error('the record does not list the files committed with it')
    const present = this.#kept.get(record.key)?.record
    if (present !== undefined && !sameOwner(present, record)) throw new RecordOfOther(present.source)
    if (present !== undefined) refuseEarlierClaim(record, present)
    const copies = new Map([...files].map(([name, bytes]) => [name, Buffer.from(bytes)]))
    this.#kept.set(record.key, { record: structuredClone(record), files: copies })
    this.#letters.delete(record.key)
  }
  async remove(key: SourceKey): Promise<void> {
    this.#kept.delete(key)
    this.#letters.delete(key)
  }
  async *list(): AsyncGenerator<DocumentRecord> {
    for (const { record } of this.#kept.values()) yield record
  }
  async have(keys: readonly SourceKey[]): Promise<readonly boolean[]> {
    return keys.map((key) => this.#kept.has(key))
  }
  readonly listing = null
}

class MemoryDeadLetters implements DeadLetters {
  readonly #letters: Map<SourceKey, DeadLetter>

  constructor(letters: Map<SourceKey, DeadLetter>) {
    this.#letters = letters
  }

  async read(key: SourceKey): Promise<DeadLetter | null> {
    return this.#letters.get(key) ?? null
  }
  async bury(letter: DeadLetter): Promise<void> {
    this.#letters.set(letter.key, structuredClone(letter))
  }
  async *list(): AsyncGenerator<DeadLetter> {
    yield* this.#letters.values()
  }
}

class MemoryManifest implements Manifest {
  #manifest: StoreManifest | null = null

  async read(): Promise<StoreManifest | null> {
    return this.#manifest
  }
  async write(manifest: StoreManifest): Promise<boolean> {
    if (manifest.revision !== (this.#manifest?.revision ?? 0) + 1) return false
    this.#manifest = manifest
    return true
  }
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
