import { randomUUID } from 'node:crypto'
import { SetupError } from '#src/document/setup-error.ts'
import type { FeedStorage } from '#src/ports/feed-storage.ts'
import type { FeedEntry } from './change.ts'
import { baseName, basePartName, packEntries, readEntries, readNames, segmentName } from './segment-file.ts'

/** Id and format of the feed; created once. */
const FEED_FILE = 'feed.json'
const FEED_FORMAT = 1

/** Position in the feed of a store: the number of segments before it. */
export interface Cursor {
  readonly feed: string
  readonly segments: number
}

export const cursorText = ({ feed, segments }: Cursor): string => `${feed}.${segments}`

/** Snapshot of each document's last state at a position; it replaces all segments up to it. */
export interface Base {
  readonly segments: number
  readonly parts: number
}

/** A file of the feed, in reading order. */
export interface FeedPage {
  /** True for a base: a snapshot at its position instead of changes. */
  readonly isBase: boolean
  read(): Promise<readonly FeedEntry[]>
}

/**
 * The log of changes as segments that are numbered from 1 without a gap. An exclusive create of the next number writes
 * a segment, so concurrent processes cannot write the same one. Segments are immutable: readers see neither a partial
 * segment nor two orders.
 *
 * Compaction writes a base, a snapshot at a position, and removes the segments before the previous base. A reader's
 * files therefore stay until the compaction after the next one, and cursors after the last base but one stay valid.
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

  /** @throws {SetupError} if a later release wrote the feed */
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

  /** Number of known segments. */
  get head(): number {
    return this.#head
  }

  get base(): Base | null {
    return this.#base
  }

  /** Lists bases and segments again: earlier ones may be compacted. */
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

  /** Appends a segment; false if another process wrote one first. */
  async append(entries: readonly FeedEntry[]): Promise<boolean> {
    const written = await this.#storage.create(segmentName(this.#head + 1), await packEntries(entries))
    if (written) this.#head += 1
    return written
  }

  /**
   * Files to read from `since` to `until`: from the start a base, if one exists, and the segments after it.
   *
   * @throws {SetupError} if compaction removed some of them
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

  /** @throws {SetupError} for a text that is not a cursor of this feed, or one from before its compaction */
  cursor(text: string): Cursor {
    const [feed, number = '', ...rest] = text.split('.')
    const segments = Number(number)
    if (!/^\d+$/.test(number) || rest.length > 0)
      throw new SetupError(
        `"${text}" is not a cursor: use one that "sluice changes" prints, or the one in the manifest of an export`,
      )
    if (feed !== this.id || segments > this.#head) {
      throw new SetupError(
        `the cursor ${text} belongs to another store, or to a change feed that was rebuilt: start again with a full export`,
      )
    }
    if (segments > 0 && segments < this.#floor) throw this.#compacted({ feed, segments })
    return { feed, segments }
  }

  #compacted(cursor: Cursor): SetupError {
    return new SetupError(
      `the cursor ${cursorText(cursor)} is older than the first cursor that the change feed still holds (${cursorText({ feed: this.id, segments: this.#floor })}): start again with a full export`,
    )
  }
}
