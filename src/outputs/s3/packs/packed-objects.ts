import { randomBytes } from 'node:crypto'
import { mapInOrder } from '#src/kit/map-in-order.ts'
import { explainedS3 } from '#src/s3/errors.ts'
import type { Condition, ListedObject, Objects, StoredObject } from '../objects/objects.ts'
import type { S3Bucket } from '../objects/s3-bucket.ts'
import { type PackContent } from './pack-format.ts'
import { type Appended, etagOf, PackLog, type PackLimits } from './pack-log.ts'
import { PackReader } from './pack-reader.ts'
import { isGroup } from './location-table.ts'

/** Threshold in bytes: a larger object is separate, and a pack names it. */
export const LARGE_BYTES = 256 * 1024

const LARGE_FOLDER = 'packs/large/'

const INDEXES_AT_ONCE = 16

/**
 * Like `S3Bucket`, with small objects in packs. Every promise of a bucket holds: all processes see a written object.
 */
export class PackedObjects implements Objects {
  readonly listsInOrder = false
  readonly #bucket: S3Bucket
  readonly #log: PackLog
  readonly #reader: PackReader

  constructor(bucket: S3Bucket, limits: PackLimits) {
    this.#bucket = bucket
    this.#log = new PackLog(bucket, limits)
    this.#reader = new PackReader(bucket)
  }

  async get(name: string): Promise<StoredObject | null> {
    for (;;) {
      // The object of a receipt's name does not change.
      if (!name.startsWith('receipts/') || this.#log.table.find(name) === null) await this.#log.refresh()
      const location = this.#log.table.find(name)
      if (location === null) return null
      if (location.kind === 'inside')
        return { bytes: await this.#reader.read(location), etag: etagOf(location), modifiedAt: 0 }
      const large = await this.#bucket.get(LARGE_FOLDER + location.id)
      if (large !== null) return { ...large, etag: etagOf(location) }
      // Replaced since, or removed, by an unknown pack.
      await this.#log.refresh()
      if (this.#log.table.find(name)?.pack === location.pack) return null
    }
  }

  async has(name: string): Promise<boolean> {
    await this.#log.refresh()
    return this.#log.table.find(name) !== null
  }

  async put(name: string, bytes: Uint8Array): Promise<void> {
    await this.#write(name, bytes)
  }

  async putIf(name: string, bytes: Uint8Array, condition: Condition): Promise<boolean> {
    return (await this.#write(name, bytes, condition)).kind === 'written'
  }

  async remove(names: readonly string[]): Promise<void> {
    await this.#log.refresh()
    const there = names.filter((name) => this.#log.table.find(name) !== null)
    await Promise.all(there.map((name) => this.#append(name, { kind: 'removed' })))
  }

  async removeUnchanged(name: string, modifiedAt: number): Promise<boolean> {
    await this.#log.refresh()
    const location = this.#log.table.find(name)
    if (location === null) return true
    if ((await this.#log.writtenAt(location.pack)) !== modifiedAt) return false
    const over = { kind: 'unchanged', etag: etagOf(location) } as const
    return (await this.#append(name, { kind: 'removed' }, over)).kind === 'written'
  }

  async *list(folder: string, signal?: AbortSignal): AsyncGenerator<readonly string[]> {
    for await (const objects of this.listObjects(folder, signal)) yield objects.map(({ name }) => name)
  }

  /** Lists each object once, also if it moves to a later pack during the listing. */
  async *listObjects(folder: string, signal?: AbortSignal): AsyncGenerator<readonly ListedObject[]> {
    await this.#log.refresh()
    const { table, count } = this.#log
    const numbers = isGroup(folder) ? table.packsOf(folder) : Array.from({ length: count }, (_, at) => at + 1)
    const indexes = mapInOrder(
      numbers,
      INDEXES_AT_ONCE,
      async (pack) => [pack, await this.#log.readIndex(pack)] as const,
    )
    const moved = new Set<string>()
    for await (const [pack, index] of indexes) {
      signal?.throwIfAborted()
      const { rows = [], writtenAt: modifiedAt = 0 } = index ?? {}
      const there: ListedObject[] = []
      for (const { name } of rows.filter((row) => row.name.startsWith(folder))) {
        const now = table.find(name)?.pack ?? 0
        if (now === pack) there.push({ name, modifiedAt, etag: etagOf({ pack }) })
        else if (now > count) moved.add(name)
      }
      if (there.length > 0) yield there
    }
    yield* this.#listNow(moved, signal)
  }

  async *#listNow(names: Iterable<string>, signal?: AbortSignal): AsyncGenerator<readonly ListedObject[]> {
    for (const name of names) {
      signal?.throwIfAborted()
      const location = this.#log.table.find(name)
      if (location === null) continue
      yield [{ name, modifiedAt: await this.#log.writtenAt(location.pack), etag: etagOf(location) }]
    }
  }

  /** Separate objects that no pack names: after an interrupted write or removal. */
  async *unnamedLarge(signal: AbortSignal): AsyncGenerator<ListedObject> {
    const all = this.#bucket.listObjects(LARGE_FOLDER, signal)
    for await (const objects of all) {
      await this.#log.refresh()
      const named = new Set(this.#log.table.large())
      yield* objects.filter(({ name }) => !named.has(name.slice(LARGE_FOLDER.length)))
    }
  }

  async #write(name: string, bytes: Uint8Array, condition?: Condition): Promise<Appended> {
    // A record stays in a pack, because listings and reads of records are the most frequent.
    if (bytes.length <= LARGE_BYTES || name.endsWith('/record.json')) {
      return this.#append(name, { kind: 'bytes', bytes }, condition)
    }
    const id = randomBytes(8).toString('hex')
    await this.#bucket.put(LARGE_FOLDER + id, bytes)
    const appended = await this.#append(name, { kind: 'large', id }, condition)
    if (appended.kind === 'taken') await this.#bucket.remove([LARGE_FOLDER + id])
    return appended
  }

  async #append(name: string, content: PackContent, condition?: Condition): Promise<Appended> {
    const change = { name, content, ...(condition === undefined ? {} : { condition }) }
    const appended = await explainedS3('cannot write a pack', () => this.#log.append(change))
    const before = appended.kind === 'written' ? appended.before : null
    // No pack names the object any more. If its removal fails, it is an orphan.
    if (before?.kind === 'large') await this.#bucket.remove([LARGE_FOLDER + before.id]).catch(() => undefined)
    return appended
  }
}
