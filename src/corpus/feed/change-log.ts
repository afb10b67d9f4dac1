import { randomUUID } from 'node:crypto'
import { promisify } from 'node:util'
import { gunzip, gzip } from 'node:zlib'
import { SetupError } from '#src/document/setup-error.ts'
import type { FeedStorage } from '#src/document/feed-storage.ts'
import type { FeedEntry } from './change.ts'

const pack = promisify(gzip)
const unpack = promisify(gunzip)

/** Names the feed and its format; made once. */
const FEED_FILE = 'feed.json'
const FEED_FORMAT = 1

const SEGMENT = /^(\d{10})\.jsonl\.gz$/
const segmentName = (number: number): string => `${String(number).padStart(10, '0')}.jsonl.gz`

/** A position in the feed of a store: behind so many of its segments. */
export interface Cursor {
  readonly feed: string
  readonly segments: number
}

export const cursorText = ({ feed, segments }: Cursor): string => `${feed}.${segments}`

/**
 * The log of changes as segments that are numbered from 1 without a gap. A segment is written by an exclusive create of the
 * next number, so that of several processes one writes it, and is never changed: no reader sees a part or two orders.
 */
export class ChangeLog {
  readonly id: string
  readonly #storage: FeedStorage
  #head = 0

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
    await log.refresh()
    return log
  }

  /** Segments that are known to be there. */
  get head(): number {
    return this.#head
  }

  /** Looks for segments that other processes wrote. */
  async refresh(): Promise<void> {
    for (const name of await this.#storage.list(this.#head === 0 ? '' : segmentName(this.#head))) {
      const number = Number(SEGMENT.exec(name)?.[1] ?? 0)
      if (number === this.#head + 1) this.#head = number
    }
  }

  /** Appends a segment; false where another process wrote one meanwhile. */
  async append(entries: readonly FeedEntry[]): Promise<boolean> {
    const lines = entries.map((entry) => `${JSON.stringify(entry)}\n`).join('')
    const written = await this.#storage.create(segmentName(this.#head + 1), await pack(lines))
    if (written) this.#head += 1
    return written
  }

  async segment(number: number): Promise<readonly FeedEntry[]> {
    const name = segmentName(number)
    try {
      const packed = await this.#storage.read(name)
      if (packed === null) throw new Error('it is not there')
      const text = (await unpack(packed)).toString('utf8')
      return text.split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line) as FeedEntry]))
    } catch (error) {
      throw new SetupError(
        `changes/${name} of the store cannot be read: remove the folder changes/, and export everything once`,
        { cause: error },
      )
    }
  }

  /** @throws {SetupError} for a text that is no cursor of this feed */
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
    return { feed, segments }
  }
}
