import { auc } from './measures.ts'

/** A page of the fixed draw: the F1 that the committed models expect of its words, and the actual F1. */
export interface ExpectedPage {
  readonly expected: number
  readonly f1: number
}

export interface Drift {
  readonly auc: number
  /** Mean of expected minus true F1: above 0 the models are too optimistic. */
  readonly bias: number
  readonly meanError: number
  /** The exceeded bounds; empty if the models hold. */
  readonly left: readonly string[]
}

const GOOD_F1 = 0.9
/**
 * Thresholds for the fixed draw, half of whose pages are read badly. They leave a margin around the models' figures
 * when these were set: AUC 0.979, bias 0.066 and error 0.086. The bias arises because the models expect too much of bad
 * pages.
 */
const BOUNDS = { leastAuc: 0.95, mostBias: 0.1, mostError: 0.12 } as const

/** Compares the models with an engine that read these pages. Pure. */
export function driftOf(pages: readonly ExpectedPage[]): Drift {
  const ranked = auc(pages.map(({ expected, f1 }) => ({ grade: expected, good: f1 >= GOOD_F1 })))
  const mean = (of: (page: ExpectedPage) => number): number =>
    pages.reduce((sum, page) => sum + of(page), 0) / Math.max(1, pages.length)
  const bias = mean(({ expected, f1 }) => expected - f1)
  const meanError = mean(({ expected, f1 }) => Math.abs(expected - f1))
  const left = [
    // Without bad or without good pages the AUC has no ranking to judge.
    ...(ranked >= BOUNDS.leastAuc ? [] : [`AUC ${ranked.toFixed(3)} is below ${BOUNDS.leastAuc}`]),
    ...(Math.abs(bias) <= BOUNDS.mostBias ? [] : [`bias ${bias.toFixed(3)} is beyond ${BOUNDS.mostBias}`]),
    ...(meanError <= BOUNDS.mostError ? [] : [`mean error ${meanError.toFixed(3)} is above ${BOUNDS.mostError}`]),
  ]
  return { auc: ranked, bias, meanError, left }
}
