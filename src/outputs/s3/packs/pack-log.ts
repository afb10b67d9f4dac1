import { randomBytes } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { mapInOrder } from '#src/kit/map-in-order.ts'
import type { Condition } from '../objects/objects.ts'
import type { S3Bucket } from '../objects/s3-bucket.ts'
import { decodeIndex, encodePack, FIRST_READ_BYTES, indexEnd, type PackContent, type PackIndex } from './pack-format.ts'
import { type Location, LocationTable } from './location-table.ts'

/*
 * Optimistic concurrency. The packs of a store are one log: `packs/log/<number>` from 1 on, without a gap. A writer
 * knows all packs before its own. It writes a pack only if no object of that number exists (If-None-Match). Exactly one
 * of several concurrent writers succeeds, and the others read its pack before they try the next number. Each name
 * therefore has one history for all, and a condition that held before the write holds at the write. The last row of a
 * name counts.
 */

const LOG = 'packs/log/'

export interface PackLimits {
  /** Milliseconds a change waits for others of its batch. */
  readonly delayMs: number
}

/** Threshold in bytes: a batch of this size is written at once. */
const FULL_BYTES = 8 * 1024 * 1024
const FULL_CHANGES = 1000

/** Throttles refreshes from packs of others: this number per delay. A request in between waits for the next one. */
const REFRESHES_PER_DELAY = 5

const READS_AT_ONCE = 32

/** Cache of compressed indexes for the next listings, in bytes: those of some 50,000 documents. */
const MAX_CACHED_BYTES = 8 * 1024 * 1024

export interface Change {
  readonly name: string
  readonly content: PackContent
  readonly condition?: Condition
}

/** `taken`: the condition did not hold, and nothing was written. */
export type Appended = { readonly kind: 'written'; readonly before: Location | null } | { readonly kind: 'taken' }

interface Waiting extends Change {
  readonly since: number
  readonly end: (appended: Appended) => void
  readonly fail: (error: unknown) => void
}

const sizeOf = ({ content }: Change): number => (content.kind === 'bytes' ? content.bytes.length : 0)

/** ETag of a pack, and of the present version of each object in it. */
export const etagOf = ({ pack }: Pick<Location, 'pack'>): string => `pack-${pack}`

export const packName = (pack: number): string => LOG + String(pack).padStart(10, '0')

export interface ReadIndex extends PackIndex {
  /** Epoch milliseconds of the store's clock. */
  readonly writtenAt: number
}

export class PackLog {
  readonly table = new LocationTable()
  readonly #bucket: S3Bucket
  readonly #limits: PackLimits
  /** Number of the first unknown pack. */
  #next = 1
  #loaded = false
  #waiting: Waiting[] = []
  #flushing = false
  #timer: NodeJS.Timeout | undefined
  #refreshing: Promise<void> | null = null
  readonly #writtenAt = new Map<number, number>()
  readonly #held = new Map<number, Buffer>()
  #heldBytes = 0
  #refreshedAt = -Infinity
  #last: Promise<unknown> = Promise.resolve()

  constructor(bucket: S3Bucket, limits: PackLimits) {
    this.#bucket = bucket
    this.#limits = limits
  }

  /** Number of known packs. */
  get count(): number {
    return this.#next - 1
  }

  /** Afterwards the table has every write, by any process, from before the call. */
  async refresh(): Promise<void> {
    this.#refreshing ??= this.#refreshSoon()
    await this.#refreshing
  }

  /** Resolves once the change is durable, in a batch with others. */
  append(change: Change): Promise<Appended> {
    return new Promise((end, fail) => {
      this.#waiting.push({ ...change, since: performance.now(), end, fail })
      this.#schedule()
    })
  }

  /** Index of a pack; null if no pack has that number. A pack never changes. */
  async readIndex(pack: number): Promise<ReadIndex | null> {
    const held = this.#held.get(pack)
    const writtenAt = this.#writtenAt.get(pack)
    if (held !== undefined && writtenAt !== undefined) return { ...decodeIndex(held), writtenAt }
    const first = await this.#bucket.getRange(packName(pack), 0, FIRST_READ_BYTES)
    if (first === null) return null
    const end = indexEnd(first.bytes)
    if (end === null) throw new Error(`${packName(pack)} is not a pack: restore it from a backup`)
    const missing = end - first.bytes.length
    const rest = missing <= 0 ? null : await this.#bucket.getRange(packName(pack), first.bytes.length, missing)
    const head = rest === null ? first.bytes : Buffer.concat([first.bytes, rest.bytes])
    this.#writtenAt.set(pack, first.modifiedAt)
    this.#cacheIndex(pack, head.subarray(0, end))
    return { ...decodeIndex(head), writtenAt: first.modifiedAt }
  }

  /** Time of an existing pack, from its index. */
  async writtenAt(pack: number): Promise<number> {
    return this.#writtenAt.get(pack) ?? (await this.readIndex(pack))?.writtenAt ?? 0
  }

  /**
   * Caches the first indexes that fit. With eviction of the oldest, a listing of all packs in order would never hit the
   * cache.
   */
  #cacheIndex(pack: number, index: Buffer): void {
    if (this.#heldBytes + index.length > MAX_CACHED_BYTES || this.#held.has(pack)) return
    this.#held.set(pack, Buffer.from(index))
    this.#heldBytes += index.length
  }

  async #refreshSoon(): Promise<void> {
    const waitMs = this.#refreshedAt + this.#limits.delayMs / REFRESHES_PER_DELAY - performance.now()
    if (waitMs > 0) await sleep(waitMs)
    await this.#exclusively(async () => {
      // Later callers wait for another refresh: this one may have missed recent writes.
      this.#refreshing = null
      this.#refreshedAt = performance.now()
      await this.#catchUp()
    })
  }

  async #catchUp(): Promise<void> {
    if (!this.#loaded) await this.#load()
    for (;;) {
      const index = await this.readIndex(this.#next)
      if (index === null) return
      this.#apply(index)
    }
  }

  /** Loads all packs at the first use of the log, many concurrently. */
  async #load(): Promise<void> {
    const after = { after: packName(this.#next - 1), upTo: null }
    for await (const names of this.#bucket.list(LOG, undefined, after)) {
      const numbers = names.map((name) => Number(name.slice(LOG.length)))
      for await (const index of mapInOrder(numbers, READS_AT_ONCE, (pack) => this.readIndex(pack))) {
        if (index === null) throw new Error(`${packName(this.#next)} was removed: restore it from a backup`)
        this.#apply(index)
      }
    }
    this.#loaded = true
  }

  #apply({ rows }: PackIndex): void {
    const pack = this.#next
    for (const row of rows) {
      if (row.kind === 'removed') this.table.delete(row.name)
      else this.table.set(row.name, locationOf(row, pack))
    }
    this.#next += 1
  }

  #schedule(): void {
    const [first] = this.#waiting
    if (this.#flushing || first === undefined) return
    clearTimeout(this.#timer)
    const bytes = this.#waiting.reduce((sum, change) => sum + sizeOf(change), 0)
    const isFull = this.#waiting.length >= FULL_CHANGES || bytes >= FULL_BYTES
    const waitMs = isFull ? 0 : first.since + this.#limits.delayMs - performance.now()
    if (waitMs > 0) this.#timer = setTimeout(() => void this.#flush(), waitMs)
    else void this.#flush()
  }

  async #flush(): Promise<void> {
    this.#flushing = true
    const batch = this.#takeBatch()
    try {
      await this.#exclusively(() => this.#write(batch))
    } catch (error) {
      for (const change of batch) change.fail(error)
    } finally {
      this.#flushing = false
      this.#schedule()
    }
  }

  /** Takes each name once: its second change sees the result of the first. */
  #takeBatch(): readonly Waiting[] {
    const batch = new Map<string, Waiting>()
    const later: Waiting[] = []
    let bytes = 0
    for (const change of this.#waiting) {
      const fits = batch.size < FULL_CHANGES && (bytes < FULL_BYTES || batch.size === 0)
      if (fits && !batch.has(change.name)) {
        batch.set(change.name, change)
        bytes += sizeOf(change)
      } else later.push(change)
    }
    this.#waiting = later
    return [...batch.values()]
  }

  async #write(batch: readonly Waiting[]): Promise<void> {
    if (!this.#loaded) await this.#catchUp()
    const id = randomBytes(8).toString('hex')
    for (let left = batch; ;) {
      left = left.filter((change) => {
        const holds = this.#meetsCondition(change)
        if (!holds) change.end({ kind: 'taken' })
        return holds
      })
      if (left.length === 0) return
      const encoded = encodePack(
        id,
        left.map(({ name, content }) => [name, content]),
      )
      if (await this.#tryWrite(encoded.index, encoded.bytes)) {
        const before = left.map(({ name }) => this.table.find(name))
        this.#apply(encoded.index)
        for (const [at, change] of left.entries()) change.end({ kind: 'written', before: before[at] ?? null })
        return
      }
    }
  }

  /** Writes the batch under the next number. Returns false if another pack was first; that pack is known then. */
  async #tryWrite(index: PackIndex, bytes: Buffer): Promise<boolean> {
    if (await this.#bucket.putIf(packName(this.#next), bytes, { kind: 'absent' })) return true
    const there = await this.readIndex(this.#next)
    // True if the answer of the write was lost. Null if two conditional writes met and the store refused both.
    if (there?.id === index.id) return true
    if (there !== null) this.#apply(there)
    return false
  }

  #meetsCondition({ name, condition }: Change): boolean {
    if (condition === undefined) return true
    const location = this.table.find(name)
    return condition.kind === 'absent' ? location === null : location !== null && etagOf(location) === condition.etag
  }

  /** Mutex: one refresh or write at a time. */
  #exclusively<T>(work: () => Promise<T>): Promise<T> {
    const done = this.#last.then(work)
    this.#last = done.catch(() => undefined)
    return done
  }
}

function locationOf(row: Exclude<PackIndex['rows'][number], { kind: 'removed' }>, pack: number): Location {
  return row.kind === 'large'
    ? { kind: 'large', pack, id: row.id }
    : { kind: 'inside', pack, offset: row.offset, length: row.length }
}
