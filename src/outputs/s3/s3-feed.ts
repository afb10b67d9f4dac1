import type { FeedStorage, PlacedRecord, RecordStamp } from '#src/ports/feed-storage.ts'
import { RECORD_FILE } from '../record-json.ts'
import type { Objects } from './objects/objects.ts'
import { isRecord } from './s3-documents.ts'
import { parseStored } from './stored-record.ts'

const FOLDER = 'changes/'

/** Objects of the change feed in a bucket. The ETag of `record.json` changes with a commit. */
export class S3Feed implements FeedStorage {
  readonly #objects: Objects

  constructor(objects: Objects) {
    this.#objects = objects
  }

  async create(name: string, bytes: Uint8Array): Promise<boolean> {
    return this.#objects.putIf(FOLDER + name, bytes, { kind: 'absent' })
  }

  async remove(name: string): Promise<void> {
    await this.#objects.remove([FOLDER + name])
  }

  async read(name: string): Promise<Buffer | null> {
    return (await this.#objects.get(FOLDER + name))?.bytes ?? null
  }

  async list(after: string): Promise<readonly string[]> {
    const all: string[] = []
    const range = { after: FOLDER + after, upTo: null }
    for await (const names of this.#objects.list(FOLDER, undefined, range)) {
      all.push(...names.map((name) => name.slice(FOLDER.length)))
    }
    return all
  }

  async *stamps(signal: AbortSignal): AsyncGenerator<readonly RecordStamp[]> {
    for await (const objects of this.#objects.listObjects('documents/', signal)) {
      yield objects.flatMap(({ name, etag }) =>
        isRecord(name) ? [{ place: name.slice(0, -`/${RECORD_FILE}`.length), stamp: etag }] : [],
      )
    }
  }

  async recordAt(place: string): Promise<PlacedRecord | null> {
    const object = await this.#objects.get(`${place}/${RECORD_FILE}`)
    const stored = object === null ? null : parseStored(object.bytes)
    return stored === null ? null : { record: stored.record, folder: `${place}/${stored.folder}` }
  }
}
