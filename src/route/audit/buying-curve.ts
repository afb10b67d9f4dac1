/** Facts about a page for choosing the number of pages to buy. */
export interface BoughtOrKept {
  /** Predicted before any purchase, 0 to 1. */
  readonly badProbability: number
  /** Quality of the page if it stays local, 0 to 1: against the truth, or against the service's answer. */
  readonly kept: number
  /** Quality of the page if it is bought, 0 to 1. */
  readonly bought: number
}

export interface CurvePoint {
  /** Share of the pages to buy, 0 to 1. */
  readonly share: number
  /** Mean quality of all pages at that share. */
  readonly quality: number
}

/** Mean quality at each number of bought pages; buys the first pages of the order first. Starts with none. */
export function buyingCurve(ordered: readonly Pick<BoughtOrKept, 'kept' | 'bought'>[]): CurvePoint[] {
  const count = Math.max(1, ordered.length)
  let sum = ordered.reduce((total, { kept }) => total + kept, 0)
  const points = [{ share: 0, quality: sum / count }]
  for (const [at, { kept, bought }] of ordered.entries()) {
    sum += bought - kept
    points.push({ share: (at + 1) / count, quality: sum / count })
  }
  return points
}

/** Sorts the likeliest bad pages first. Stable for equal predictions. */
export const byPrediction = <Page extends Pick<BoughtOrKept, 'badProbability'>>(pages: readonly Page[]): Page[] =>
  pages.toSorted((a, b) => b.badProbability - a.badProbability)

/** Returns the least share that reaches this quality; null if no share does. */
export function leastShare(curve: readonly CurvePoint[], quality: number): number | null {
  return curve.find((point) => point.quality >= quality - 1e-12)?.share ?? null
}
