import type { PageGrade } from '#src/document/grade.ts'
import model from './predict-model.json' with { type: 'json' }

/** What a page will be worth, predicted from how the embedded engine read it and before anything is bought. */
export interface PagePrediction {
  /** Probability that fewer than nine of ten words came out right (F1 below 0.9), 0 to 1. */
  readonly badProbability: number
  /** Expected F1 of its words, 0 to 1. */
  readonly expectedQuality: number
  /** `grade`: the model belongs to another engine version, and the grade itself stands in for it. */
  readonly basis: 'model' | 'grade'
}

/** One point of the calibration; between two of them values are interpolated. */
export interface Knot {
  /** Grade of the engine, 0 to 1; ascending. */
  readonly grade: number
  readonly bad: number
  readonly quality: number
}

/**
 * A reading of the engine's grade, which is a logistic model on nine signals of a page already: what share of generated
 * pages with such a grade was bad, and how good they were in the mean. `npm run route:train` makes it.
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
  { grade }: Pick<PageGrade, 'grade'>,
  engine: string,
  { engine: trainedOn, knots }: PredictModel = PREDICT_MODEL,
): PagePrediction {
  if (trainedOn !== engine || knots.length === 0) {
    return { badProbability: 1 - grade, expectedQuality: grade, basis: 'grade' }
  }
  const above = knots.findIndex((knot) => knot.grade >= grade)
  const [low, high] = above === -1 ? [knots.at(-1), knots.at(-1)] : [knots[Math.max(0, above - 1)], knots[above]]
  const share =
    low === undefined || high === undefined || high.grade === low.grade
      ? 1
      : (grade - low.grade) / (high.grade - low.grade)
  const between = (name: 'bad' | 'quality'): number => {
    const [from, to] = [low?.[name] ?? 0, high?.[name] ?? 0]
    return from + (to - from) * Math.min(1, Math.max(0, share))
  }
  return { badProbability: between('bad'), expectedQuality: between('quality'), basis: 'model' }
}

/** A line for people where predictions rest on the grade alone; null where the model fits the engine. */
export function staleModelLine(engine: string, { engine: trainedOn }: PredictModel = PREDICT_MODEL): string | null {
  if (trainedOn === engine) return null
  return (
    `the page predictor was trained on engine version ${trainedOn} and the pages were read by version ${engine}: ` +
    'grades are used uncalibrated; run npm run route:train, or read the pages again with --upgrade'
  )
}
