export interface Labelled {
  readonly features: readonly number[]
  readonly isTrue: boolean
}

const STEPS = 1500
const RATE = 0.3
const RIDGE = 0.001

/** Fits a logistic model on standardised features by gradient descent; returns the probability that it gives features. */
export function logistic(examples: readonly Labelled[]): (features: readonly number[]) => number {
  const width = examples[0]?.features.length ?? 0
  const columns = Array.from({ length: width }, (_, at) => examples.map(({ features }) => features[at] ?? 0))
  const means = columns.map(meanOf)
  const deviations = columns.map((column, at) =>
    Math.max(0.05, Math.sqrt(meanOf(column.map((value) => (value - (means[at] ?? 0)) ** 2)))),
  )
  const scaled = (features: readonly number[]): number[] =>
    features.map((value, at) => (value - (means[at] ?? 0)) / (deviations[at] ?? 1))
  const rows = examples.map(({ features, isTrue }) => ({ values: scaled(features), isTrue }))
  const weights = means.map(() => 0)
  let bias = 0
  const probability = (values: readonly number[]): number =>
    1 / (1 + Math.exp(-values.reduce((sum, value, at) => sum + value * (weights[at] ?? 0), bias)))
  for (let step = 0; step < STEPS; step += 1) {
    const slope = weights.map((weight) => RIDGE * weight)
    let biasSlope = 0
    for (const { values, isTrue } of rows) {
      const error = (probability(values) - Number(isTrue)) / rows.length
      biasSlope += error
      for (const [at, value] of values.entries()) slope[at] = (slope[at] ?? 0) + error * value
    }
    bias -= RATE * biasSlope
    for (const [at, value] of slope.entries()) weights[at] = (weights[at] ?? 0) - RATE * value
  }
  return (features) => probability(scaled(features))
}

const meanOf = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length
