import type { ParsedPage } from '@llamaindex/liteparse'

/** Clockwise rotation of a page's content, in degrees. The parser and the renderer undo it. */
export type Turn = 0 | 90 | 180 | 270

/** A page from the library. Null if the library failed on it; the document continues without it. */
export interface ReadPage {
  readonly pageNumber: number
  readonly page: ParsedPage | null
  /** Clockwise rotation of its text in the file, in degrees. `page` is already upright. */
  readonly turn: Turn
}
