import { lowerBound, upperBound } from './binomial.ts'

/** Size and prices of an archive. */
export interface PricedArchive {
  readonly documents: number
  readonly pages: number
  /** Price of a document's first bought page, and of each further one. */
  readonly firstPageCredits: number
  readonly furtherPageCredits: number
}

export interface CreditRange {
  readonly low: number
  readonly high: number
}

interface SampledPages {
  /** Number of sampled pages that would be bought. */
  readonly hard: number
  readonly sampled: number
}

/**
 * Estimates the price of buying the pages above a threshold, from a sample of single pages. Two-sided Clopper-Pearson
 * bounds limit the number of these pages; the fewest and the most documents that can hold them limit the rest. Sampled
 * pages count exactly.
 */
export function priceFromSample({ hard, sampled }: SampledPages, archive: PricedArchive, delta = 0.05): CreditRange {
  const unseen = Math.max(0, archive.pages - sampled)
  const low = hard + Math.floor(lowerBound(hard, sampled, delta / 2) * unseen)
  const high = hard + Math.ceil(upperBound(hard, sampled, delta / 2) * unseen)
  return { low: cheapest(low, archive).low, high: cheapest(high, archive).high }
}

/** Price range of a number of pages, depending on their distribution over documents. */
function cheapest(
  pages: number,
  { documents, firstPageCredits: first, furtherPageCredits: further }: PricedArchive,
): CreditRange {
  if (pages === 0) return { low: 0, high: 0 }
  const spread = Math.min(pages, documents)
  const costs = [1, spread].map((among) => among * first + (pages - among) * further)
  return { low: Math.min(...costs), high: Math.max(...costs) }
}
