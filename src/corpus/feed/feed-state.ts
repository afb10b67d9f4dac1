import type { FeedEntry } from './change.ts'
import { digestAt, digestWords, PlaceTable, wordsOf } from './place-table.ts'

/** Columns of a row, as word offsets. */
const STAMP = 0
const STATE = 2
const PAGE = 4
const SEEN = 5
const WORDS = 6

/** Last known state of each document in the feed, without its name: 50 to 100 bytes per document. */
export class FeedState {
  readonly #table = new PlaceTable(WORDS)

  /** `page`: from 1. */
  fold(entries: readonly FeedEntry[], page: number): void {
    for (const { place, stamp, state } of entries) {
      const row = this.#table.row(place)
      row.set(wordsOf(stamp), STAMP)
      row.set(digestWords(state), STATE)
      row[PAGE] = page
    }
  }

  /** True if the record with this stamp was compared before; marks its document as seen. */
  isKnown(place: string, stamp: string): boolean {
    const row = this.#table.row(place)
    row[SEEN] = 1
    const [first, second] = wordsOf(stamp)
    return row[STAMP] === first && row[STAMP + 1] === second
  }

  /** Digest of a document's state; null without outputs. */
  of(place: string): string | null {
    return digestAt(this.#table.row(place), STATE)
  }

  /** True if a document has outputs in the feed, last reported in this page, and was not listed. */
  isUnseen(place: string, page: number): boolean {
    const row = this.#table.row(place)
    return row[PAGE] === page && isUnseen(row)
  }

  /** Number of documents with outputs. */
  count(): number {
    let documents = 0
    for (const row of this.#table.rows()) if (row[STATE] !== 0 || row[STATE + 1] !== 0) documents += 1
    return documents
  }

  /** Ascending. */
  pagesOfUnseen(): readonly number[] {
    const pages = new Set<number>()
    for (const row of this.#table.rows()) if (isUnseen(row)) pages.add(row[PAGE] ?? 0)
    return [...pages].toSorted((one, other) => one - other)
  }
}

const isUnseen = (row: Uint32Array): boolean => row[SEEN] === 0 && (row[STATE] !== 0 || row[STATE + 1] !== 0)
