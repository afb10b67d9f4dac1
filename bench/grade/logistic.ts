import { FEATURES, type Features } from '../../src/engine/grade/grade-features.ts'
import type { GradeModel } from '../../src/engine/grade/grade-model.ts'

/** A page for training: what is known of it, and whether nine of ten of its words came out right. */
export interface Example {
  readonly features: Features
  readonly good: boolean
}

const STEPS = 3_000
const RATE = 0.5
/** Weight of the penalty on large weights: with few bad pages a single feature would else decide alone. */
const RIDGE = 0.002

/** Fits a logistic model by gradient descent on standardised features. */
export function fitted(examples: readonly Example[], engine: string): GradeModel {
  const columns = FEATURES.map((name) => examples.map(({ features }) => features[name]))
  const means = columns.map(meanOf)
  const deviations = columns.map(
    (column, at) => Math.sqrt(meanOf(column.map((value) => (value - (means[at] ?? 0)) ** 2))) || 1,
  )
  const rows = examples.map(({ features }) =>
    FEATURES.map((name, at) => (features[name] - (means[at] ?? 0)) / (deviations[at] ?? 1)),
  )
  const weights = FEATURES.map(() => 0)
  let intercept = 0
  for (let step = 0; step < STEPS; step += 1) {
    const slopes = FEATURES.map((_, at) => RIDGE * (weights[at] ?? 0))
    let offset = 0
    for (const [index, row] of rows.entries()) {
      const sum = row.reduce((total, value, at) => total + value * (weights[at] ?? 0), intercept)
      const error = (1 / (1 + Math.exp(-sum)) - (examples[index]?.good === true ? 1 : 0)) / rows.length
      offset += error
      for (const [at, value] of row.entries()) slopes[at] = (slopes[at] ?? 0) + error * value
    }
    intercept -= RATE * offset
    for (const [at, slope] of slopes.entries()) weights[at] = (weights[at] ?? 0) - RATE * slope
  }
  const named = (values: readonly number[]) =>
    Object.fromEntries(FEATURES.map((name, at) => [name, Number((values[at] ?? 0).toFixed(5))]))
  return {
    engine,
    intercept: Number(intercept.toFixed(5)),
    weights: named(weights),
    means: named(means),
    deviations: named(deviations),
  }
}

function meanOf(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / Math.max(1, values.length)
}
