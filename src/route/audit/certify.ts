import { cleanPagesNeeded, upperBound } from './binomial.ts'

/** A page that was sampled alone and read by both tiers. */
export interface AuditedPage {
  /** Id of its document: errors of pages in one document correlate. */
  readonly document: string
  /** Predicted before any purchase, 0 to 1. */
  readonly badProbability: number
  /** True if the two answers differ by more than the service differs from itself. */
  readonly differs: boolean
}

export interface CertificateOptions {
  /** Maximum share of local pages that may differ from the service's answer, 0 to 1. */
  readonly risk: number
  /** Maximum error probability of a certificate, 0 to 1. */
  readonly delta: number
}

export interface Certificate {
  /** Pages with a higher probability of being bad must be bought; null: no certificate is possible. */
  readonly threshold: number | null
  /** Share of the sampled pages that stay local at this threshold. */
  readonly keptShare: number
  /** Upper bound of the risk at that threshold: the higher one of pages and documents. */
  readonly bound: number
  /** Unit of the higher bound. */
  readonly unit: 'page' | 'document'
  readonly pages: number
  readonly documents: number
  /** Minimum number of pages without a difference that such a risk needs, for any sample. */
  readonly needed: number
}

const THRESHOLDS = 16
/** Share of pages that the strictest threshold keeps: from zero on, a small sample could never pass the first test. */
const FIRST_QUANTILE = 0.4

/**
 * Learn then Test (Angelopoulos et al., arXiv 2110.01052) with a fixed sequence of thresholds. They go from the 40 %
 * quantile of the predictions to their maximum, strictest first. Clopper-Pearson tests each until one fails. The last
 * passed one holds with confidence 1 - delta, for the sampled archive only. The thresholds come from predictions alone,
 * which need no purchase.
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

/** From the strictest to the one that keeps every page, without duplicates. */
function thresholdsOf(predictions: readonly number[]): number[] {
  const sorted = predictions.toSorted((a, b) => a - b)
  if (sorted.length === 0) return []
  const at = (share: number): number => sorted[Math.min(sorted.length - 1, Math.ceil(share * sorted.length) - 1)] ?? 1
  const steps = Array.from({ length: THRESHOLDS }, (_, step) =>
    at(FIRST_QUANTILE + ((1 - FIRST_QUANTILE) * step) / (THRESHOLDS - 1)),
  )
  return [...new Set(steps)]
}

/** The higher of two bounds: for pages as drawn, and for documents with fully correlated pages. */
function riskBound(
  kept: readonly AuditedPage[],
  delta: number,
): { readonly bound: number; readonly unit: Certificate['unit'] } {
  const bad = kept.filter(({ differs }) => differs).length
  const sizes = [...Map.groupBy(kept, ({ document }) => document).values()].map(({ length }) => length)
  // Kish: effective sample size of documents with these sizes.
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
