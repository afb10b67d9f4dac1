import { qualityFeaturesOf } from '../../packages/engine/src/grade/quality-features.ts'
import { expectedQualityOf, type QualityModel, sumOfTrees } from '../../packages/engine/src/grade/quality-model.ts'
import { ENGINE_VERSION } from '@sluice/engine'
import { type Knot, predictPage } from '../../src/route/predict-page.ts'
import { isBornDigital } from '../../test/support/mixed-pages/born-digital.ts'
import type { DrawResult } from '../../test/support/mixed-pages/read-draw.ts'
import { boosted } from './boosted.ts'
import { knotsOf } from './calibrate.ts'

const GOOD_F1 = 0.9
/** Number of folds for the groups. */
const FOLDS = 12
/** Born-digital pages are alike: every fourth teaches the trees as much. */
const BORN_DIGITAL_STEP = 4

/** A read page with its truth and the prediction of a model that had not seen its group. */
export interface JudgedPage {
  readonly draw: DrawResult
  readonly good: boolean
  /** F1 of the engine's trees, before the calibration. */
  readonly expected: number
  readonly badProbability: number
  readonly expectedQuality: number
}

/** Trains trees on these pages. */
export function treesOf(draws: readonly DrawResult[]): QualityModel {
  const chosen = draws.filter(({ kind }, at) => !isBornDigital(kind) || at % BORN_DIGITAL_STEP === 0)
  return boosted(
    chosen.map(({ quality, f1 }) => ({ features: qualityFeaturesOf(quality), quality: f1 })),
    ENGINE_VERSION,
  )
}

/** Each page with the expectation of trees that saw no page of its group. */
export function expectedHeldOut(
  draws: readonly DrawResult[],
  groupOf: (draw: DrawResult) => string,
): { readonly draw: DrawResult; readonly fold: number; readonly expected: number }[] {
  const groups = [...new Set(draws.map(groupOf))].sort()
  const folds = new Map(groups.map((group, at) => [group, at % FOLDS]))
  const foldOf = (draw: DrawResult): number => folds.get(groupOf(draw)) ?? 0
  return Array.from({ length: FOLDS }, (_, fold) => fold).flatMap((fold) => {
    const inFold = draws.filter((draw) => foldOf(draw) === fold)
    if (inFold.length === 0) return []
    const trees = treesOf(draws.filter((draw) => foldOf(draw) !== fold))
    return inFold.map((draw) => ({ draw, fold, expected: expectedBy(draw, trees) }))
  })
}

/** The engine's expectation of a page. */
function expectedBy({ quality }: DrawResult, trees?: QualityModel): number {
  if (quality.problems.includes('unreadable')) return 0
  return trees === undefined ? expectedQualityOf(quality) : sumOfTrees(qualityFeaturesOf(quality), trees)
}

type Expected = ReturnType<typeof expectedHeldOut>[number]

/** Predicts each page with trees and a calibration that saw no page of its group. */
export function heldOut(draws: readonly DrawResult[], groupOf: (draw: DrawResult) => string): JudgedPage[] {
  const pages = expectedHeldOut(draws, groupOf)
  const byFold = [...Map.groupBy(pages, ({ fold }) => fold)]
  return byFold.flatMap(([fold, inFold]) => {
    const knots = knotsOf(calibrated(pages.filter((page) => page.fold !== fold)))
    return inFold.map(({ draw, expected }) => judged(draw, expected, knots))
  })
}

export const calibrated = (pages: readonly Omit<Expected, 'fold'>[]): { expected: number; quality: number }[] =>
  pages.map(({ draw, expected }) => ({ expected, quality: draw.f1 }))

/** Like `heldOut`, by the committed model: for pages from seeds outside its training set. */
export function byModel(draws: readonly DrawResult[]): JudgedPage[] {
  return draws.map((draw) => judged(draw, expectedBy(draw)))
}

function judged(draw: DrawResult, expected: number, knots?: readonly Knot[]): JudgedPage {
  const model = knots === undefined ? undefined : { engine: ENGINE_VERSION, pages: 0, sources: 0, knots }
  const { badProbability, expectedQuality } = predictPage({ grade: expected, expected }, ENGINE_VERSION, model)
  return { draw, good: draw.f1 >= GOOD_F1, expected, badProbability, expectedQuality }
}
