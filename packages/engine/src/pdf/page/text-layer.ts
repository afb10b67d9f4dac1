import type { ParsedPage } from '@llamaindex/liteparse'

/** Clockwise degrees by which a page's content lies turned; it is read and drawn turned back. */
export type Turn = 0 | 90 | 180 | 270

/** A page as the library read it; null where it could not: the document goes on without it. */
export interface ReadPage {
  readonly pageNumber: number
  readonly page: ParsedPage | null
  /** Clockwise degrees by which its text lies turned in the file; `page` is read turned back. */
  readonly turn: Turn
}
