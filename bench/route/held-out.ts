import { type Features, featuresOf } from '../../src/engine/grade/grade-features.ts'
import { GRADE_MODEL, probabilityOf } from '../../src/engine/grade/grade-model.ts'
import { ENGINE_VERSION } from '../../src/engine/version.ts'
import { predictPage } from '../../src/route/predict-page.ts'
import type { DrawResult } from '../../test/support/mixed-pages/read-draw.ts'
import { fitted } from '../grade/logistic.ts'
import { knotsOf } from './calibrate.ts'

const GOOD_F1 = 0.9

/** A read page with its truth and what a predictor said of it that had not seen its group. */
export interface JudgedPage {
  readonly draw: DrawResult
  readonly features: Features
  readonly good: boolean
  /** 1 less the probability of a bad page, so that a low one is bad as with grades. */
  readonly grade: number
  readonly badProbability: number
  readonly expectedQuality: number
}

/** The grade of a page by the weights that the engine has. */
export function gradeBy(draw: DrawResult): number {
  const { problems, signals } = draw.quality
  return problems.includes('unreadable') ? 0 : probabilityOf(featuresOf(signals), GRADE_MODEL)
}

/** Each page predicted by weights and a calibration of which neither saw a page of its group. */
export function heldOut(draws: readonly DrawResult[], groupOf: (draw: DrawResult) => string | number): JudgedPage[] {
  const pages = draws.map((draw) => ({ draw, features: featuresOf(draw.quality.signals), good: draw.f1 >= GOOD_F1 }))
  return [...new Set(draws.map(groupOf))].flatMap((group) => {
    const seen = pages.filter(({ draw }) => groupOf(draw) !== group)
    const weights = fitted(seen, ENGINE_VERSION)
    const knots = knotsOf(
      seen.map(({ draw, features }) => ({ grade: probabilityOf(features, weights), quality: draw.f1 })),
    )
    const model = { engine: ENGINE_VERSION, pages: seen.length, sources: 0, knots }
    return pages
      .filter(({ draw }) => groupOf(draw) === group)
      .map((page) => {
        const grade = probabilityOf(page.features, weights)
        return { ...page, ...predictPage({ grade }, ENGINE_VERSION, model), grade }
      })
  })
}

/** As `heldOut`, by the model that is committed: for pages from seeds that it was not trained on. */
export function byModel(draws: readonly DrawResult[]): JudgedPage[] {
  return draws.map((draw) => {
    const grade = gradeBy(draw)
    const features = featuresOf(draw.quality.signals)
    return { draw, features, good: draw.f1 >= GOOD_F1, ...predictPage({ grade }, ENGINE_VERSION), grade }
  })
}
