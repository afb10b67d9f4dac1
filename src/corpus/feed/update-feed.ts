import type { FeedStorage, PlacedRecord, RecordStamp } from '#src/ports/feed-storage.ts'
import type { OutputStore } from '#src/ports/output-store.ts'
import { type ChangeLog, ChangeLog as Log, type Cursor, type FeedPage } from './change-log.ts'
import { changeKind, documentState, type FeedEntry, stateOf } from './change.ts'
import { COMPACTION, compactFeed, isDue } from './compact-feed.ts'
import { FeedState } from './feed-state.ts'
import { SEGMENT_ENTRIES } from './segment-file.ts'

/** Number of concurrent reads of records. */
const READS = 32

type Store = Pick<OutputStore, 'feed' | 'documents'>

/**
 * Updates the feed from the records, and returns the cursor after the last change. The feed is derived: a commit writes
 * nothing to it, and this function detects the changes that a crash or another process left out. It skips records with
 * a known stamp. A single process writes each change.
 *
 *   fold     The segments give the last known stamp and state of each document.
 *   compare  A single listing of stamps; another stamp causes a read of the record, another state an entry.
 *   removed  Documents that the listing lacks; a read of each confirms the removal.
 *   compact  If due, the state replaces the segments (`compactFeed`).
 */
export async function updateFeed(store: Store, signal: AbortSignal, policy = COMPACTION): Promise<UpdatedFeed> {
  const log = await Log.open(store.feed)
  const update = new FeedUpdate(store, log, signal)
  await update.run()
  const counts = { entries: () => update.entries, documents: () => update.documents }
  if (isDue(log, policy, counts)) await compactFeed(store.feed, log)
  return { log, cursor: { feed: log.id, segments: log.head }, unreadable: update.unreadable }
}

interface UpdatedFeed {
  readonly log: ChangeLog
  readonly cursor: Cursor
  /** Folders whose record cannot be read: a document that the feed may not know. */
  readonly unreadable: readonly string[]
}

class FeedUpdate {
  readonly #store: Store
  readonly #storage: FeedStorage
  readonly #log: ChangeLog
  readonly #signal: AbortSignal
  readonly #state = new FeedState()
  /** Folded pages, in their order. */
  readonly #pages: FeedPage[] = []
  #unreadable: string[] = []
  #folded = 0
  #entries = 0
  #pending: FeedEntry[] = []

  constructor(store: Store, log: ChangeLog, signal: AbortSignal) {
    this.#store = store
    this.#storage = store.feed
    this.#log = log
    this.#signal = signal
  }

  get unreadable(): readonly string[] {
    return this.#unreadable
  }

  /** Number of entries in the segments after the base. */
  get entries(): number {
    return this.#entries
  }

  get documents(): number {
    return this.#state.count()
  }

  async run(): Promise<void> {
    await this.#fold()
    for await (const stamps of this.#storage.stamps(this.#signal)) {
      const unknown = stamps.filter(({ place, stamp }) => !this.#state.isKnown(place, stamp))
      for (let at = 0; at < unknown.length; at += READS) await this.#compare(unknown.slice(at, at + READS))
    }
    await this.#append()
    await this.#findRemoved()
    await this.#append()
    // A commit replaces a record: the next update reports one that is readable by now.
    const again = await Promise.all(this.#unreadable.map((place) => this.#storage.recordAt(place)))
    this.#unreadable = this.#unreadable.filter((_, index) => again[index] === null)
  }

  async #fold(): Promise<void> {
    const { head } = this.#log
    for (const page of this.#log.pages(this.#folded, head)) {
      this.#signal.throwIfAborted()
      this.#foldPage(page, await page.read())
    }
    this.#folded = head
  }

  #foldPage(page: FeedPage, entries: readonly FeedEntry[]): void {
    this.#state.fold(entries, this.#pages.push(page))
    if (!page.isBase) this.#entries += entries.length
  }

  async #compare(stamps: readonly RecordStamp[]): Promise<void> {
    const found = await Promise.all(stamps.map(({ place }) => this.#storage.recordAt(place)))
    for (const [index, placed] of found.entries()) {
      const stamp = stamps[index] as RecordStamp
      if (placed === null) this.#unreadable.push(stamp.place)
      else this.#add(stamp, placed)
    }
    if (this.#pending.length >= SEGMENT_ENTRIES) await this.#append()
  }

  #add({ place, stamp }: RecordStamp, placed: PlacedRecord): void {
    const [before, state] = [this.#state.of(place), stateOf(placed)]
    const now = documentState(placed)
    const change = changeKind(before, state, now.goneAt)
    if (change === null) return
    const { key: document } = placed.record
    this.#pending.push({ change, document, at: new Date().toISOString(), now, state, before, place, stamp })
  }

  /**
   * If another process wrote a segment first, its entry for a document wins, and this process drops its own: the next
   * update compares again.
   */
  async #append(): Promise<void> {
    while (this.#pending.length > 0) {
      const entries = this.#pending.splice(0, SEGMENT_ENTRIES)
      if (await this.#log.append(entries)) {
        this.#foldPage(this.#log.segment(this.#log.head), entries)
        this.#folded = this.#log.head
        continue
      }
      await this.#log.refresh()
      await this.#fold()
      this.#pending.unshift(...entries.filter(({ place, before }) => this.#state.of(place) === before))
    }
  }

  /** The names of removed documents are in the pages that reported them last. */
  async #findRemoved(): Promise<void> {
    for (const number of this.#state.pagesOfUnseen()) {
      for (const entry of (await this.#pages[number - 1]?.read()) ?? []) {
        const { place, document } = entry
        if (!this.#state.isUnseen(place, number)) continue
        // A document has no folder for an instant during its commit.
        if ((await this.#store.documents.read(document)) !== null) continue
        const before = this.#state.of(place)
        const at = new Date().toISOString()
        this.#pending.push({ change: 'removed', document, at, now: null, state: null, before, place, stamp: '' })
      }
      if (this.#pending.length >= SEGMENT_ENTRIES) await this.#append()
    }
  }
}
