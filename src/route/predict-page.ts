import type { PageGrade } from '@sluice/contract'
import model from './predict-model.json' with { type: 'json' }

/** What a page will be worth, predicted from how the embedded engine read it and before anything is bought. */
export interface PagePrediction {
  /** Probability that fewer than nine of ten words came out right (F1 below 0.9), 0 to 1. */
  readonly badProbability: number
  /** Expected F1 of its words, 0 to 1, with four decimals. */
  readonly expectedQuality: number
  /** `grade`: the model belongs to another engine version, or the engine gave a grade alone, which stands in for it. */
  readonly basis: 'model' | 'grade'
}

/** One point of the calibration; between two of them values are interpolated. */
export interface Knot {
  /** Expected F1 as the engine says it; ascending. */
  readonly expected: number
  readonly bad: number
  readonly quality: number
}

/**
 * A calibration of the F1 that the engine expects of a page: what share of generated pages with such an expectation was
 * bad, and how good they were in the mean, all expected by trees that saw no page of their source. `scripts/models/train.ts`
 * makes it.
 */
export interface PredictModel {
  /** Version of the engine that read the pages: the knots hold for no other. */
  readonly engine: string
  readonly pages: number
  readonly sources: number
  readonly knots: readonly Knot[]
}

export const PREDICT_MODEL: PredictModel = model

/** Prediction for one page that the embedded engine of this version read. Pure. */
export function predictPage(
  { grade, expected }: Pick<PageGrade, 'grade' | 'expected'>,
  engine: string,
  { engine: trainedOn, knots }: PredictModel = PREDICT_MODEL,
): PagePrediction {
  if (trainedOn !== engine || expected === null || knots.length === 0) {
    return { badProbability: rounded(1 - grade), expectedQuality: grade, basis: 'grade' }
  }
  const above = knots.findIndex((knot) => knot.expected >= expected)
  const [low, high] = above === -1 ? [knots.at(-1), knots.at(-1)] : [knots[Math.max(0, above - 1)], knots[above]]
  const share =
    low === undefined || high === undefined || high.expected === low.expected
      ? 1
      : (expected - low.expected) / (high.expected - low.expected)
  const between = (name: 'bad' | 'quality'): number => {
    const [from, to] = [low?.[name] ?? 0, high?.[name] ?? 0]
    return rounded(from + (to - from) * Math.min(1, Math.max(0, share)))
  }
  return { badProbability: between('bad'), expectedQuality: between('quality'), basis: 'model' }
}

/** Four decimals: it is no more exact than that. */
const rounded = (share: number): number => Math.round(share * 1e4) / 1e4

/** A line for people where predictions rest on the grade alone; null where the model fits the engine. */
export function staleModelLine(engine: string, { engine: trainedOn }: PredictModel = PREDICT_MODEL): string | null {
  if (trainedOn === engine) return null
  return (
    `the page predictor was trained on engine version ${trainedOn} and the pages were read by version ${engine}: ` +
    'grades are used uncalibrated; run scripts/models/train.ts, or read the pages again with --upgrade'
  )
}
