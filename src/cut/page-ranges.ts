/** Range of consecutive pages, both counted from 1 and included. */
export interface PageRange {
  readonly firstPage: number
  readonly lastPage: number
}

export interface WholePdf {
  readonly pages: number
  readonly bytes: number
  readonly limitBytes: number
  /** Maximum number of pages per range; null for any number. */
  readonly mostPages?: number | null
}

/** Share of the limit that pieces aim at: pages differ in size, and each piece repeats shared fonts and tables. */
const AIM = 0.9

/**
 * First estimate of a cut: as few ranges of equal length as keep pieces of `bytes / ranges` below the limit. The cuts
 * depend on the complete document alone; `upToPage` only drops later ranges, so a document with more requested pages
 * has the same cuts.
 */
export function evenRanges({ pages, bytes, limitBytes, mostPages = null }: WholePdf, upToPage: number): PageRange[] {
  const byPages = mostPages === null ? 1 : Math.ceil(pages / mostPages)
  const count = Math.min(pages, Math.max(1, byPages, Math.ceil(bytes / (limitBytes * AIM))))
  const starts = Array.from({ length: count }, (_, index) => Math.floor((index * pages) / count) + 1)
  return starts
    .map((firstPage, index) => ({ firstPage, lastPage: Math.min((starts[index + 1] ?? pages + 1) - 1, upToPage) }))
    .filter(({ firstPage, lastPage }) => firstPage <= lastPage)
}

export function pagesIn({ firstPage, lastPage }: PageRange): number[] {
  return Array.from({ length: lastPage - firstPage + 1 }, (_, index) => firstPage + index)
}
