import type { RouteTerms } from '#src/document/route.ts'

/** Expected quality of a page in the engine's reading. */
export interface PageOutlook {
  /** 1-based. */
  readonly pageNumber: number
  /** Expected share of right words, 0 to 1; null if the engine gives no estimate. */
  readonly quality: number | null
}

/** Reasons for the parser of a page. */
export const PAGE_REASONS = [
  /** Its quality reaches the floor. */
  'good',
  /** The engine did not grade it. */
  'ungraded',
  /** Below the floor, and bought. */
  'bought',
  /** A receipt of an earlier purchase covers it. */
  'bought-before',
  /** Below the floor, and over `buyPages` or `buyShare`. */
  'over-limit',
  /** Below the floor; the service gave no usable answer for it. */
  'service-failed',
] as const

export type PageReason = (typeof PAGE_REASONS)[number]

/** Returns the pages below the floor, the worst first. */
export function pagesBelow({ qualityFloor }: RouteTerms, pages: readonly PageOutlook[]): readonly number[] {
  return pages
    .filter(({ quality }) => quality !== null && quality < qualityFloor)
    .toSorted((a, b) => (a.quality ?? 0) - (b.quality ?? 0) || a.pageNumber - b.pageNumber)
    .map(({ pageNumber }) => pageNumber)
}
