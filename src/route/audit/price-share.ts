import { lowerBound, upperBound } from './binomial.ts'

/** What is known of an archive's size and of prices. */
export interface PricedArchive {
  readonly documents: number
  readonly pages: number
  /** What a document's first bought page costs, and each further one. */
  readonly firstPageCredits: number
  readonly furtherPageCredits: number
}

export interface CreditRange {
  readonly low: number
  readonly high: number
}

interface SampledPages {
  /** Pages of the sample that would be bought. */
  readonly hard: number
  readonly sampled: number
}

/**
 * What buying the pages above a threshold will cost, estimated from a sample of single pages: Clopper-Pearson bounds, two-sided, on
 * how many pages that are, and the fewest and most documents that they can stand in. Sampled pages count as they are.
 */
export function priceFromSample({ hard, sampled }: SampledPages, archive: PricedArchive, delta = 0.05): CreditRange {
  const unseen = Math.max(0, archive.pages - sampled)
  const low = hard + Math.floor(lowerBound(hard, sampled, delta / 2) * unseen)
  const high = hard + Math.ceil(upperBound(hard, sampled, delta / 2) * unseen)
  return { low: cheapest(low, archive).low, high: cheapest(high, archive).high }
}

/** What so many pages can cost, by how they are spread over documents. */
function cheapest(
  pages: number,
  { documents, firstPageCredits: first, furtherPageCredits: further }: PricedArchive,
): CreditRange {
  if (pages === 0) return { low: 0, high: 0 }
  const spread = Math.min(pages, documents)
  const costs = [1, spread].map((among) => among * first + (pages - among) * further)
  return { low: Math.min(...costs), high: Math.max(...costs) }
}
