import { type GradedQuality, qualityFeaturesOf } from './quality-features.ts'
import model from './quality-model.json' with { type: 'json' }

/** A leaf is a number. A branch is [feature index, threshold, subtree at or below the threshold, subtree above]. */
export type Tree = number | readonly [feature: number, threshold: number, low: Tree, high: Tree]

/** Small regression trees whose sum is the expected F1 of a page's words, and the engine version of their training. */
export interface QualityModel {
  /** Engine version whose signals trained the model. The trees are valid for no other. */
  readonly engine: string
  readonly base: number
  readonly trees: readonly Tree[]
}

export const QUALITY_MODEL = model as unknown as QualityModel

/** Returns the expected F1 of a page's words, 0 to 1, before any calibration. Pure. */
export function expectedQualityOf(page: GradedQuality, by = QUALITY_MODEL): number {
  return sumOfTrees(qualityFeaturesOf(page), by)
}

export function sumOfTrees(features: readonly number[], { base, trees }: QualityModel): number {
  const sum = trees.reduce<number>((total, tree) => total + leafOf(tree, features), base)
  return Math.min(1, Math.max(0, sum))
}

export function leafOf(tree: Tree, features: readonly number[]): number {
  let at = tree
  while (typeof at !== 'number') {
    const [feature, threshold, low, high]: readonly [number, number, Tree, Tree] = at
    at = (features[feature] ?? 0) <= threshold ? low : high
  }
  return at
}
