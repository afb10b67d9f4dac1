/** Consecutive pages, both counted from 1 and included. */
export interface PageRange {
  readonly firstPage: number
  readonly lastPage: number
}

/** Share of the limit that pieces aim at: pages differ in size, and each piece brings shared fonts and tables again. */
const AIM = 0.9

/**
 * The first try at a cut: as few ranges of equal length as bring pieces of `bytes / ranges` below the limit. Where the
 * cuts are depends on the whole document alone; `upToPage` only leaves out what follows it, so that a document asked for
 * with more pages is cut in the same places.
 */
export function evenRanges(
  { pages, bytes, limitBytes }: { readonly pages: number; readonly bytes: number; readonly limitBytes: number },
  upToPage: number,
): PageRange[] {
  const count = Math.min(pages, Math.max(1, Math.ceil(bytes / (limitBytes * AIM))))
  const starts = Array.from({ length: count }, (_, index) => Math.floor((index * pages) / count) + 1)
  return starts
    .map((firstPage, index) => ({ firstPage, lastPage: Math.min((starts[index + 1] ?? pages + 1) - 1, upToPage) }))
    .filter(({ firstPage, lastPage }) => firstPage <= lastPage)
}

/** Both halves of a range of more than one page. */
export function halves({ firstPage, lastPage }: PageRange): [PageRange, PageRange] {
  const middle = Math.floor((firstPage + lastPage) / 2)
  return [
    { firstPage, lastPage: middle },
    { firstPage: middle + 1, lastPage },
  ]
}
