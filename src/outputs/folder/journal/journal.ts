import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { makeFolderFlushed } from '../files/make-folder.ts'
import type { WorkArea } from '../files/work-area.ts'
import { bootFrame, entryFrame, type JournalEntry } from './entry.ts'
import { flushWritten } from './flush-written.ts'
import { syncFileSystem } from './machine.ts'
import { Segment } from './segment.ts'

/*
 * Group commit by a write-ahead journal. The journal appends all writes of a few milliseconds to one file and flushes
 * it once. Then it writes each file at its path, without a separate flush. It removes a segment once everything in it
 * is on the disk. States of a segment:
 *
 *   open      accepts entries. Its size, its age, a failed write, or the end of the process closes it.
 *   closed    accepts no more; waits for the writes of its entries to end.
 *   flushing  flushes the writes of its entries: file by file if they are few, else the complete file system.
 *   removed   and its name flushed.
 *
 * After SIGKILL the page cache is intact, and everything reported as done is there. A later process flushes the file
 * system and removes the segment. After a power loss the next process that opens the store replays all entries
 * (`replay.ts`).
 */

export interface JournalLimits {
  /** Threshold in bytes: a larger segment is closed. */
  readonly bytes: number
  /** Milliseconds an entry waits for others, if several writes are in flight. */
  readonly delayMs: number
}

/** Age in milliseconds at which a segment is closed. */
const MAX_AGE_MS = 10_000

/**
 * Threshold: up to this number of writes, a segment flushes them one by one. A short run thus does not wait for the
 * writes of other programs.
 */
const SINGLE_FLUSHES = 64

/** Maximum number of segments that wait for a flush; above it, writes wait for the disk. */
const MAX_WAITING = 8

const SYNC_LIMIT_MS = 120_000
/** Timeout at the end of a process. The rest stays in the journal, for the next process that opens the store. */
const LAST_LIMIT_MS = 3_000

interface Waiting {
  readonly frame: Uint8Array
  readonly durable: PromiseWithResolvers<Segment>
}

export class Journal implements AsyncDisposable {
  readonly #area: WorkArea
  readonly #boot: string
  readonly #limits: JournalLimits
  #waiting: Waiting[] = []
  #isFlushing = false
  #hadBatch = false
  #segment: Segment | null = null
  #timer: NodeJS.Timeout | undefined
  #retired: Promise<void> = Promise.resolve()
  #retiring = 0
  /** Closed segments, oldest first. */
  readonly #closed: Segment[] = []
  #isLast = false

  constructor(area: WorkArea, boot: string, limits: JournalLimits) {
    this.#area = area
    this.#boot = boot
    this.#limits = limits
  }

  /** Makes the entry durable, then runs the write, which flushes nothing. `to`: target of the write, or null. */
  async write<T>(entry: JournalEntry, to: string | null, work: () => Promise<T>): Promise<T> {
    const segment = await this.#append(entryFrame(entry))
    try {
      return await work()
    } finally {
      if (to !== null) segment.written.add(to)
      segment.end()
    }
  }

  /** Flushes all writes, and empties the journal. A store that hangs only delays it until the timeout. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#isLast = true
    this.#rotate()
    if (this.#retiring === 0) return
    const limit = Promise.withResolvers<void>()
    const timer = setTimeout(limit.resolve, LAST_LIMIT_MS)
    await Promise.race([this.#retired, limit.promise])
    clearTimeout(timer)
  }

  #append(frame: Uint8Array): Promise<Segment> {
    const durable = Promise.withResolvers<Segment>()
    this.#waiting.push({ frame, durable })
    if (!this.#isFlushing) void this.#flushAll()
    return durable.promise
  }

  async #flushAll(): Promise<void> {
    this.#isFlushing = true
    while (this.#waiting.length > 0) {
      if (this.#hadBatch && this.#limits.delayMs > 0) await sleep(this.#limits.delayMs)
      const batch = this.#waiting
      this.#waiting = []
      this.#hadBatch = batch.length > 1
      await this.#flush(batch)
    }
    this.#isFlushing = false
  }

  async #flush(batch: readonly Waiting[]): Promise<void> {
    try {
      const segment = await this.#current()
      for (const _ of batch) segment.begin()
      try {
        await segment.append(batch.map(({ frame }) => frame))
      } catch (error) {
        for (const _ of batch) segment.end()
        // A reader would ignore everything after a truncated frame.
        this.#rotate()
        throw error
      }
      for (const { durable } of batch) durable.resolve(segment)
      if (segment.bytes >= this.#limits.bytes) this.#rotate()
    } catch (error) {
      for (const { durable } of batch) durable.reject(error)
    }
  }

  async #current(): Promise<Segment> {
    if (this.#segment?.isThere === false) this.#rotate()
    if (this.#segment !== null) return this.#segment
    if (this.#retiring >= MAX_WAITING) await this.#retired
    const folder = this.#area.journal
    await makeFolderFlushed(folder, this.#area)
    this.#segment = await Segment.create(join(folder, this.#area.newId()), bootFrame(this.#boot))
    this.#timer = setTimeout(() => this.#rotate(), MAX_AGE_MS).unref()
    return this.#segment
  }

  #rotate(): void {
    clearTimeout(this.#timer)
    const segment = this.#segment
    if (segment === null) return
    this.#segment = null
    this.#retiring += 1
    this.#closed.push(segment)
    // A segment whose flush fails stays. The next flush, or the next process that opens the store, repeats it.
    this.#retired = Promise.all([this.#retired, segment.close()])
      .then(() => this.#retire())
      .catch(() => undefined)
      .finally(() => {
        this.#retiring -= 1
      })
  }

  /** Retires the oldest first: no segment outlives one with a newer state of a document. */
  async #retire(): Promise<void> {
    const { root } = this.#area
    const busy = this.#closed.findIndex((segment) => !segment.isDrained)
    const segments = busy === -1 ? [...this.#closed] : this.#closed.slice(0, busy)
    const written = new Set(segments.flatMap((segment) => [...segment.written]))
    const limitMs = this.#isLast ? LAST_LIMIT_MS : SYNC_LIMIT_MS
    const isFlushed = written.size > SINGLE_FLUSHES && (await syncFileSystem(root, limitMs))
    if (!isFlushed && written.size > SINGLE_FLUSHES && this.#isLast) return
    if (!isFlushed) await flushWritten(written, root)
    for (const segment of segments) {
      await segment.remove()
      this.#closed.shift()
    }
  }
}
