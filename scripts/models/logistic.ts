import { FEATURES, type Features } from '../../packages/engine/src/grade/grade-features.ts'
import type { GradeModel } from '../../packages/engine/src/grade/grade-model.ts'

/** A page for training: its features, and a label that is true if nine of ten of its words are right. */
export interface Example {
  readonly features: Features
  readonly good: boolean
}

const STEPS = 40
/** Newton's method overshoots the maximum if most pages are certain: no weight moves further in one step. */
const LONGEST_STEP = 1
/** Penalty per page on weights far from their prior: few bad pages would otherwise decide alone. */
const RIDGE = 0.01
/**
 * Prior of a weight before any page is seen, per unit of its feature. Each sign of damage lowers the grade, also one
 * that no page of the training set shows.
 */
const EXPECTED = -4
/** A feature that hardly varies is not scaled up. */
const MIN_DEVIATION = 0.02

/** Fits a logistic model on standardised features by Newton's method. */
export function fitted(examples: readonly Example[], engine: string): GradeModel {
  const columns = FEATURES.map((name) => examples.map(({ features }) => features[name]))
  const means = columns.map(meanOf)
  const deviations = columns.map((column, at) =>
    Math.max(MIN_DEVIATION, Math.sqrt(meanOf(column.map((value) => (value - (means[at] ?? 0)) ** 2)))),
  )
  // The first weight is the intercept, which has no penalty.
  const rows = examples.map(({ features }) => [
    1,
    ...FEATURES.map((name, at) => (features[name] - (means[at] ?? 0)) / (deviations[at] ?? 1)),
  ])
  const targets = examples.map(({ good }) => (good ? 1 : 0))
  const expected = [1, ...FEATURES.map((_, at) => EXPECTED * (deviations[at] ?? 1))]
  let weights = expected
  for (let step = 0; step < STEPS; step += 1) {
    const change = newtonStep(rows, targets, weights, expected)
    const share = Math.min(1, LONGEST_STEP / Math.max(...change.map(Math.abs)))
    weights = weights.map((weight, at) => weight + share * (change[at] ?? 0))
  }
  const [intercept = 0, ...slopes] = weights
  const named = (values: readonly number[]) =>
    Object.fromEntries(FEATURES.map((name, at) => [name, Number((values[at] ?? 0).toFixed(5))]))
  return {
    engine,
    intercept: Number(intercept.toFixed(5)),
    weights: named(slopes),
    means: named(means),
    deviations: named(deviations),
  }
}

/** The change of the weights that leads to the maximum of the likelihood's parabola at this point. */
function newtonStep(
  rows: readonly number[][],
  targets: readonly number[],
  weights: readonly number[],
  expected: readonly number[],
): number[] {
  const size = weights.length
  const penalty = (at: number): number => (at === 0 ? 1e-9 : RIDGE * rows.length)
  const slope = weights.map((weight, at) => penalty(at) * ((expected[at] ?? 0) - weight))
  const curve = Array.from({ length: size }, (_, at) =>
    Array.from({ length: size }, (_value, other) => (at === other ? penalty(at) : 0)),
  )
  for (const [index, row] of rows.entries()) {
    const chance = 1 / (1 + Math.exp(-row.reduce((sum, value, at) => sum + value * (weights[at] ?? 0), 0)))
    const weight = Math.max(1e-4, chance * (1 - chance))
    for (const [at, value] of row.entries()) {
      slope[at] = (slope[at] ?? 0) + value * ((targets[index] ?? 0) - chance)
      const line = curve[at] ?? []
      for (const [other, second] of row.entries()) line[other] = (line[other] ?? 0) + weight * value * second
    }
  }
  return solved(curve, slope)
}

/** Solves a system of linear equations, by elimination with pivots. Changes its arguments. */
function solved(matrix: number[][], right: number[]): number[] {
  const size = right.length
  for (let column = 0; column < size; column += 1) {
    let pivot = column
    for (let row = column + 1; row < size; row += 1) {
      if (Math.abs(matrix[row]?.[column] ?? 0) > Math.abs(matrix[pivot]?.[column] ?? 0)) pivot = row
    }
    ;[matrix[column], matrix[pivot]] = [matrix[pivot] ?? [], matrix[column] ?? []]
    ;[right[column], right[pivot]] = [right[pivot] ?? 0, right[column] ?? 0]
    const line = matrix[column] ?? []
    for (let row = 0; row < size; row += 1) {
      if (row === column) continue
      const other = matrix[row] ?? []
      const factor = (other[column] ?? 0) / (line[column] ?? 1)
      for (let at = column; at < size; at += 1) other[at] = (other[at] ?? 0) - factor * (line[at] ?? 0)
      right[row] = (right[row] ?? 0) - factor * (right[column] ?? 0)
    }
  }
  return right.map((value, at) => value / (matrix[at]?.[at] ?? 1))
}

function meanOf(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / Math.max(1, values.length)
}
