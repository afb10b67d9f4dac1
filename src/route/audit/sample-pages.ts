/** A document with a page count, which the sample may draw from. */
export interface CountedDocument {
  readonly key: string
  readonly pages: number
}

export interface SampledPage {
  readonly key: string
  /** 1-based. */
  readonly pageNumber: number
}

/**
 * Draws single pages with equal probability: every step-th page of all documents in the order of their keys, from a
 * random start (systematic sampling). Folders are therefore strata, each drawn by its share of the pages. A document
 * shorter than the step gives at most one page, so pages of one document cannot dominate. `next` gives 0 to below 1.
 */
export function samplePages(documents: readonly CountedDocument[], count: number, next: () => number): SampledPage[] {
  const ordered = documents.toSorted((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0))
  const total = ordered.reduce((sum, { pages }) => sum + pages, 0)
  const wanted = Math.min(count, total)
  const step = total / Math.max(1, wanted)
  const start = next() * step
  const sampled: SampledPage[] = []
  let passed = 0
  for (const { key, pages } of ordered) {
    while (sampled.length < wanted) {
      const at = Math.floor(start + sampled.length * step)
      if (at >= passed + pages) break
      sampled.push({ key, pageNumber: at - passed + 1 })
    }
    passed += pages
  }
  return sampled
}
