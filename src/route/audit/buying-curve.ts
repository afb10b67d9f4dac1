/** What is known of a page for the choice how much to buy. */
export interface BoughtOrKept {
  /** Predicted before anything was bought, 0 to 1. */
  readonly badProbability: number
  /** How good it is when it stays local, 0 to 1: against the truth, or against the service's answer. */
  readonly kept: number
  /** How good it is when it is bought, 0 to 1. */
  readonly bought: number
}

export interface CurvePoint {
  /** Share of the pages that is bought, 0 to 1. */
  readonly share: number
  /** Mean quality of all pages then. */
  readonly quality: number
}

/** Mean quality at each number of pages bought, in an order: the first ones are bought first. Starts with none. */
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

/** Likeliest bad pages first. Equal predictions stay in the order they had. */
export const byPrediction = <Page extends Pick<BoughtOrKept, 'badProbability'>>(pages: readonly Page[]): Page[] =>
  pages.toSorted((a, b) => b.badProbability - a.badProbability)

/** The least share whose quality is at least this; null where no share reaches it. */
export function leastShare(curve: readonly CurvePoint[], quality: number): number | null {
  return curve.find((point) => point.quality >= quality - 1e-12)?.share ?? null
}
