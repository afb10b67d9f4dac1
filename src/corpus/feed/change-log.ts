import { randomUUID } from 'node:crypto'
import { SetupError } from '#src/document/setup-error.ts'
import type { FeedStorage } from '#src/ports/feed-storage.ts'
import type { FeedEntry } from './change.ts'
import { baseName, basePartName, packEntries, readEntries, readNames, segmentName } from './segment-file.ts'

/** Names the feed and its format; made once. */
const FEED_FILE = 'feed.json'
const FEED_FORMAT = 1

/** A position in the feed of a store: behind so many of its segments. */
export interface Cursor {
  readonly feed: string
  readonly segments: number
}

export const cursorText = ({ feed, segments }: Cursor): string => `${feed}.${segments}`

/** The last state of each document at a position; it replaces all segments up to it. */
export interface Base {
  readonly segments: number
  readonly parts: number
}

/** A file of the feed, in the order in which they are read. */
export interface FeedPage {
  /** Of a base: no change, but the state at its position. */
  readonly isBase: boolean
  read(): Promise<readonly FeedEntry[]>
}

/**
 * The log of changes as segments that are numbered from 1 without a gap. A segment is written by an exclusive create of the
 * next number, so that of several processes one writes it, and is never changed: no reader sees a part or two orders.
 *
 * Compaction writes a base, the state at a position, and removes the segments before the base before it. So what a process
 * reads stays there until the compaction after the next one, and cursors behind the last base but one stay good.
 */
export class ChangeLog {
  readonly id: string
  readonly #storage: FeedStorage
  #head = 0
  /** Segments up to this one are gone. */
  #floor = 0
  #base: Base | null = null

  private constructor(storage: FeedStorage, id: string) {
    this.#storage = storage
    this.id = id
  }

  /** @throws {SetupError} where a later release wrote the feed */
  static async open(storage: FeedStorage): Promise<ChangeLog> {
    const created = { format: FEED_FORMAT, id: randomUUID().slice(0, 8), createdAt: new Date().toISOString() }
    const stored = await storage.read(FEED_FILE)
    if (stored === null) await storage.create(FEED_FILE, Buffer.from(`${JSON.stringify(created)}\n`))
    const json = stored ?? (await storage.read(FEED_FILE))
    const { format, id } = JSON.parse(json?.toString('utf8') ?? '{}') as { format?: number; id?: string }
    if (format !== FEED_FORMAT || id === undefined) {
      throw new SetupError(`changes/${FEED_FILE} has format ${format}: update Sluice. Nothing was changed`)
    }
    const log = new ChangeLog(storage, id)
    await log.relist()
    return log
  }

  /** Segments that are known to be there. */
  get head(): number {
    return this.#head
  }

  get base(): Base | null {
    return this.#base
  }

  /** Lists bases and segments anew: what was there before may be compacted. */
  async relist(): Promise<void> {
    const { segments, bases } = readNames(await this.#storage.list(''))
    const newest = bases.at(-1)
    if (newest !== undefined) {
      const json = await this.#storage.read(baseName(newest))
      this.#base = { segments: newest, parts: (JSON.parse(json?.toString('utf8') ?? '{}') as Partial<Base>).parts ?? 0 }
    }
    this.#head = newest ?? 0
    const there = new Set(segments)
    while (there.has(this.#head + 1)) this.#head += 1
    this.#floor = this.#head
    while (there.has(this.#floor)) this.#floor -= 1
  }

  /** Lists segments that other processes wrote. */
  async refresh(): Promise<void> {
    const { segments } = readNames(await this.#storage.list(this.#head === 0 ? '' : segmentName(this.#head)))
    for (const number of segments) if (number === this.#head + 1) this.#head = number
  }

  /** Appends a segment; false where another process wrote one meanwhile. */
  async append(entries: readonly FeedEntry[]): Promise<boolean> {
    const written = await this.#storage.create(segmentName(this.#head + 1), await packEntries(entries))
    if (written) this.#head += 1
    return written
  }

  /**
   * What a reader at `since` reads to come to `until`: from the beginning a base, where there is one, and the segments behind it.
   *
   * @throws {SetupError} where compaction removed what is between
   */
  pages(since: number, until: number): readonly FeedPage[] {
    const base = since === 0 && this.#base !== null && this.#base.segments <= until ? this.#base : null
    if (base === null && since < this.#floor)
      throw this.#compacted({ feed: this.id, segments: since === 0 ? until : since })
    const pages: FeedPage[] = []
    for (let part = 1; part <= (base?.parts ?? 0); part++) {
      pages.push(this.#page(true, basePartName(base?.segments ?? 0, part)))
    }
    for (let number = (base?.segments ?? since) + 1; number <= until; number++) pages.push(this.segment(number))
    return pages
  }

  segment(number: number): FeedPage {
    return this.#page(false, segmentName(number))
  }

  #page(isBase: boolean, name: string): FeedPage {
    return { isBase, read: async () => readEntries(this.#storage, name) }
  }

  /** @throws {SetupError} for a text that is no cursor of this feed, or one from before its compaction */
  cursor(text: string): Cursor {
    const [feed, number = '', ...rest] = text.split('.')
    const segments = Number(number)
    if (!/^\d+$/.test(number) || rest.length > 0)
      throw new SetupError(`"${text}" is no cursor: the manifest of an export has one`)
    if (feed !== this.id || segments > this.#head) {
      throw new SetupError(
        `the cursor ${text} is of another store, or of a feed that was made anew: export everything once`,
      )
    }
    if (segments > 0 && segments < this.#floor) throw this.#compacted({ feed, segments })
    return { feed, segments }
  }

  #compacted(cursor: Cursor): SetupError {
    return new SetupError(
      `the cursor ${cursorText(cursor)} is older than what the feed still holds (from ${cursorText({ feed: this.id, segments: this.#floor })} on): export everything once`,
    )
  }
}
