import { cleanPagesNeeded, upperBound } from './binomial.ts'

/** A page that was sampled alone and read by both tiers. */
export interface AuditedPage {
  /** Names its document: pages of one document may share a fate. */
  readonly document: string
  /** Predicted before anything was bought, 0 to 1. */
  readonly badProbability: number
  /** Whether the two answers differ by more than the service differs from itself. */
  readonly differs: boolean
}

export interface CertificateOptions {
  /** Largest share of the pages kept local that may differ from what the service says, 0 to 1. */
  readonly risk: number
  /** How often a certificate may be wrong, 0 to 1. */
  readonly delta: number
}

export interface Certificate {
  /** Pages with a higher probability of being bad have to be bought; null: nothing can be certified. */
  readonly threshold: number | null
  /** Share of the sampled pages that stay local by it. */
  readonly keptShare: number
  /** Upper bound of the risk at that threshold, of pages or of documents, whichever is worse. */
  readonly bound: number
  /** Which of the two is the worse. */
  readonly unit: 'page' | 'document'
  readonly pages: number
  readonly documents: number
  /** Pages without a difference that such a risk takes at the least, whatever the sample shows. */
  readonly needed: number
}

const THRESHOLDS = 16
/** The strictest threshold keeps so much: from nothing on, a small sample could never pass the first test. */
const FIRST_QUANTILE = 0.4

/**
 * Learn then Test (Angelopoulos et al., arXiv 2110.01052) with a fixed sequence: thresholds from the 40 % quantile of the
 * predictions to their largest, strictest first, each tested by Clopper-Pearson until one fails. The last that passed
 * holds with confidence 1 - delta, for the archive that was sampled and for no other. The thresholds come from
 * predictions alone, which nothing is bought for.
 */
export function certify(
  pages: readonly AuditedPage[],
  { risk, delta }: CertificateOptions,
  predictions: readonly number[] = pages.map(({ badProbability }) => badProbability),
): Certificate {
  const needed = cleanPagesNeeded(risk, delta)
  const common = { needed, pages: pages.length, documents: new Set(pages.map(({ document }) => document)).size }
  let best: Certificate = { ...common, threshold: null, keptShare: 0, bound: 1, unit: 'page' }
  for (const threshold of thresholdsOf(predictions)) {
    const kept = pages.filter(({ badProbability }) => badProbability <= threshold)
    const { bound, unit } = riskBound(kept, delta)
    if (bound > risk) return best.threshold === null ? { ...best, bound, unit } : best
    best = { ...common, threshold, keptShare: kept.length / Math.max(1, pages.length), bound, unit }
  }
  return best
}

/** From the strictest to the one that keeps every page; equal ones once. */
function thresholdsOf(predictions: readonly number[]): number[] {
  const sorted = predictions.toSorted((a, b) => a - b)
  if (sorted.length === 0) return []
  const at = (share: number): number => sorted[Math.min(sorted.length - 1, Math.ceil(share * sorted.length) - 1)] ?? 1
  const steps = Array.from({ length: THRESHOLDS }, (_, step) =>
    at(FIRST_QUANTILE + ((1 - FIRST_QUANTILE) * step) / (THRESHOLDS - 1)),
  )
  return [...new Set(steps)]
}

/** The worse of two bounds: pages as they were drawn, and documents, as if all pages of one shared a fate. */
function riskBound(
  kept: readonly AuditedPage[],
  delta: number,
): { readonly bound: number; readonly unit: Certificate['unit'] } {
  const bad = kept.filter(({ differs }) => differs).length
  const sizes = [...Map.groupBy(kept, ({ document }) => document).values()].map(({ length }) => length)
  // Kish: so many independent draws are documents of these sizes worth.
  const effective =
    kept.length ** 2 /
    Math.max(
      1,
      sizes.reduce((sum, size) => sum + size ** 2, 0),
    )
  const ofPages = upperBound(bad, kept.length, delta)
  const ofDocuments = upperBound((bad * effective) / Math.max(1, kept.length), effective, delta)
  return ofDocuments > ofPages ? { bound: ofDocuments, unit: 'document' } : { bound: ofPages, unit: 'page' }
}
