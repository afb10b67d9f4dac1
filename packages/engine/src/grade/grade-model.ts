import model from './grade-model.json' with { type: 'json' }
import { FEATURES, type Features } from './grade-features.ts'

/** A logistic model on standardised features, and the engine version of its training. */
export interface GradeModel {
  /** Engine version whose signals trained the model. The weights are valid for no other. */
  readonly engine: string
  readonly intercept: number
  readonly weights: Readonly<Record<string, number>>
  readonly means: Readonly<Record<string, number>>
  readonly deviations: Readonly<Record<string, number>>
}

export const GRADE_MODEL: GradeModel = model

/** Returns the probability that nine of ten words of the page are correct, 0 to 1. */
export function probabilityOf(features: Features, { intercept, weights, means, deviations }: GradeModel): number {
  const sum = FEATURES.reduce((total, name) => {
    const standardised = (features[name] - (means[name] ?? 0)) / (deviations[name] ?? 1)
    return total + (weights[name] ?? 0) * standardised
  }, intercept)
  return 1 / (1 + Math.exp(-sum))
}
