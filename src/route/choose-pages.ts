import type { RouteTerms } from '#src/document/route.ts'

/** What is expected of a page as the engine read it. */
export interface PageOutlook {
  /** 1-based. */
  readonly pageNumber: number
  /** Expected share of words that are right, 0 to 1; null where the engine says nothing about the page. */
  readonly quality: number | null
}

/** Why a page has the parser that it has. */
export const PAGE_REASONS = [
  /** Its quality reaches the floor. */
  'good',
  /** The engine did not grade it. */
  'ungraded',
  /** Below the floor, and bought. */
  'bought',
  /** An answer for it was there from an earlier purchase. */
  'bought-before',
  /** Below the floor, and over `buyPages` or `buyShare`. */
  'over-limit',
  /** Below the floor; the service gave no usable answer for it. */
  'service-failed',
] as const

export type PageReason = (typeof PAGE_REASONS)[number]

/** The pages below the floor, the worst first. */
export function pagesBelow({ qualityFloor }: RouteTerms, pages: readonly PageOutlook[]): readonly number[] {
  return pages
    .filter(({ quality }) => quality !== null && quality < qualityFloor)
    .toSorted((a, b) => (a.quality ?? 0) - (b.quality ?? 0) || a.pageNumber - b.pageNumber)
    .map(({ pageNumber }) => pageNumber)
}
