import type { PageGrade } from '@sluice/contract'
import model from './predict-model.json' with { type: 'json' }

/** Quality of a page, predicted from the embedded engine's reading before any purchase. */
export interface PagePrediction {
  /** Probability that fewer than nine of ten words are right (F1 below 0.9), 0 to 1. */
  readonly badProbability: number
  /** Expected F1 of its words, 0 to 1, with four decimals. */
  readonly expectedQuality: number
  /**
   * `grade`: fallback to the grade, because the model belongs to another engine version or the engine gave a grade
   * alone.
   */
  readonly basis: 'model' | 'grade'
}

/** A point of the calibration; the prediction interpolates between two of them. */
export interface Knot {
  /** Expected F1 according to the engine; ascending. */
  readonly expected: number
  readonly bad: number
  readonly quality: number
}

/**
 * Calibration of the engine's expected F1 of a page: the share of bad pages among generated pages with that
 * expectation, and their mean quality. The expectations come from trees that saw no page of the same source.
 * `scripts/models/train.ts` fits it.
 */
export interface PredictModel {
  /** Version of the engine that read the pages: the knots are valid for that version only. */
  readonly engine: string
  readonly pages: number
  readonly sources: number
  readonly knots: readonly Knot[]
}

export const PREDICT_MODEL: PredictModel = model

/** Predicts one page that the embedded engine of this version read. Pure. */
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

/** Four decimals, its precision. */
const rounded = (share: number): number => Math.round(share * 1e4) / 1e4

/** A warning if predictions rest on the grade alone; null if the model fits the engine. */
export function staleModelLine(engine: string, { engine: trainedOn }: PredictModel = PREDICT_MODEL): string | null {
  if (trainedOn === engine) return null
  return (
    `the page predictor was trained on engine version ${trainedOn} and the pages were read by version ${engine}: ` +
    'grades are used uncalibrated; run scripts/models/train.ts, or read the pages again with --upgrade'
  )
}
