import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { makeFolderFlushed } from '../files/make-folder.ts'
import type { WorkArea } from '../files/work-area.ts'
import { bootFrame, entryFrame, type JournalEntry } from './entry.ts'
import { flushWritten } from './flush-written.ts'
import { syncFileSystem } from './machine.ts'
import { Segment } from './segment.ts'

/*
 * Group commit by a write-ahead journal. What is written to the store within a few milliseconds is appended to one file and
 * flushed once; then each file is written where it belongs, without a flush of its own. A segment of the journal is removed
 * when everything that it describes is on the disk. States of a segment:
 *
 *   open      takes entries. Becomes closed by its size, its age, a failed write, or the end of the process.
 *   closed    takes no more; waits for the writes of its entries to end.
 *   flushing  what its entries wrote is flushed: file by file while they are few, else the file system as a whole.
 *   removed   and its name flushed.
 *
 * After SIGKILL the page cache is whole, and what was reported as done is there: a later process flushes the file system and
 * removes the segment. After a loss of power the next process that opens the store does all entries again (`replay.ts`).
 */

export interface JournalLimits {
  /** Size from which a segment is closed. */
  readonly bytes: number
  /** How long an entry waits for others, while several writes are in flight. */
  readonly delayMs: number
}

/** Age at which a segment is closed. */
const MOST_AGE_MS = 10_000

/** So many writes of a segment are flushed one by one: a short run does not wait for what others have written to the disk. */
const FEW = 64

/** Segments that wait to be flushed; beyond, writes wait for the disk. */
const MOST_WAITING = 8

const SYNC_LIMIT_MS = 120_000
/** At the end of a process: what is not flushed by then stays in the journal, for the next process that opens the store. */
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
  #hadCompany = false
  #segment: Segment | null = null
  #timer: NodeJS.Timeout | undefined
  #retired: Promise<void> = Promise.resolve()
  #retiring = 0
  /** Closed, the oldest first. */
  readonly #closed: Segment[] = []
  #isLast = false

  constructor(area: WorkArea, boot: string, limits: JournalLimits) {
    this.#area = area
    this.#boot = boot
    this.#limits = limits
  }

  /** Makes the entry durable, then does the write, which flushes nothing. `to`: what it writes to, or null. */
  async write<T>(entry: JournalEntry, to: string | null, work: () => Promise<T>): Promise<T> {
    const segment = await this.#append(entryFrame(entry))
    try {
      return await work()
    } finally {
      if (to !== null) segment.written.add(to)
      segment.end()
    }
  }

  /** Flushes what was written, and empties the journal; a store that hangs is not waited for. */
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
      if (this.#hadCompany && this.#limits.delayMs > 0) await sleep(this.#limits.delayMs)
      const batch = this.#waiting
      this.#waiting = []
      this.#hadCompany = batch.length > 1
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
        // What follows a frame that is cut off would not be read.
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
    if (this.#retiring >= MOST_WAITING) await this.#retired
    const folder = this.#area.journal
    await makeFolderFlushed(folder, this.#area)
    this.#segment = await Segment.create(join(folder, this.#area.newId()), bootFrame(this.#boot))
    this.#timer = setTimeout(() => this.#rotate(), MOST_AGE_MS).unref()
    return this.#segment
  }

  #rotate(): void {
    clearTimeout(this.#timer)
    const segment = this.#segment
    if (segment === null) return
    this.#segment = null
    this.#retiring += 1
    this.#closed.push(segment)
    // What cannot be flushed stays, and is flushed with the next one, or by the next process that opens the store.
    this.#retired = Promise.all([this.#retired, segment.close()])
      .then(() => this.#retire())
      .catch(() => undefined)
      .finally(() => {
        this.#retiring -= 1
      })
  }

  /** The oldest first: no segment outlives one with a newer state of a document. */
  async #retire(): Promise<void> {
    const { root } = this.#area
    const busy = this.#closed.findIndex((segment) => !segment.isDrained)
    const segments = busy === -1 ? [...this.#closed] : this.#closed.slice(0, busy)
    const written = new Set(segments.flatMap((segment) => [...segment.written]))
    const limitMs = this.#isLast ? LAST_LIMIT_MS : SYNC_LIMIT_MS
    const isFlushed = written.size > FEW && (await syncFileSystem(root, limitMs))
    if (!isFlushed && written.size > FEW && this.#isLast) return
    if (!isFlushed) await flushWritten(written, root)
    for (const segment of segments) {
      await segment.remove()
      this.#closed.shift()
    }
  }
}
