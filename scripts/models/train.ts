// Trains the engine's expectation of a page and its calibration. Reports the quality of both on pages of held-out
// sources and damages: `node scripts/models/train.ts [--write] [--test FILE] FILE…`, each FILE made by read-pages.ts.
// `--write` replaces the models; `--test` reports the models of the project on pages of another file.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { ENGINE_VERSION } from '@sluice/engine'
import type { DrawResult } from '../../test/support/mixed-pages/read-draw.ts'
import { isBornDigital } from '../../test/support/mixed-pages/born-digital.ts'
import { auc, calibrationError } from './measures.ts'
import { intervalByGroup } from './bootstrap.ts'
import { knotsOf } from './calibrate.ts'
import { byModel, calibrated, expectedHeldOut, heldOut, type JudgedPage, treesOf } from './held-out.ts'
import { linesOf } from './lines-of.ts'

const CALIBRATION = join(import.meta.dirname, '../../src/route/predict-model.json')
const TREES = join(import.meta.dirname, '../../packages/engine/src/grade/quality-model.json')

const { values, positionals: files } = parseArgs({
  options: { write: { type: 'boolean', default: false }, test: { type: 'string' } },
  allowPositionals: true,
})
const draws = files.flatMap(linesOf)

/** A born-digital page has no damage to hold out: it is held out with its source. */
const damageOf = ({ kind, damage, source }: DrawResult): string =>
  isBornDigital(kind) ? `source ${source}` : damage === 'none' ? kind : damage
/** The calibration uses the probability of a good page as a grade. */
const graded = (pages: readonly JudgedPage[]): { grade: number; good: boolean }[] =>
  pages.map(({ badProbability, good }) => ({ grade: 1 - badProbability, good }))
const rank = (pages: readonly JudgedPage[]): number =>
  auc(pages.map(({ expectedQuality, good }) => ({ grade: expectedQuality, good })))

function report(name: string, pages: readonly JudgedPage[]): void {
  const [low, high] = intervalByGroup(pages, ({ draw }) => draw.source, rank)
  const bad = pages.filter(({ good }) => !good).length
  const error = pages.reduce((sum, page) => sum + Math.abs(page.expectedQuality - page.draw.f1), 0) / pages.length
  console.log(
    `${name}: ${pages.length} pages, ${bad} bad; AUC ${rank(pages).toFixed(3)} [${low.toFixed(3)}, ${high.toFixed(3)}], ` +
      `ECE ${calibrationError(graded(pages)).toFixed(3)}, mean error of the quality ${error.toFixed(3)}`,
  )
}

if (values.test !== undefined) {
  const pages = byModel(linesOf(values.test))
  report('the models in the project', pages)
  report(
    'the models in the project, pages read by OCR',
    pages.filter(({ draw }) => draw.usedOcr),
  )
}
if (draws.length > 0) {
  const sourceOf = ({ source }: DrawResult): string => String(source)
  const unseenSources = heldOut(draws, sourceOf)
  report('sources not seen', unseenSources)
  report('kinds of damage not seen', heldOut(draws, damageOf))
  report(
    'sources not seen, pages read by OCR',
    unseenSources.filter(({ draw }) => draw.usedOcr),
  )
  report(
    'sources not seen, true F1 .80 to .97',
    unseenSources.filter(({ draw }) => draw.f1 >= 0.8 && draw.f1 <= 0.97),
  )
  if (values.write) write(sourceOf)
}

function write(sourceOf: (draw: DrawResult) => string): void {
  const knots = knotsOf(calibrated(expectedHeldOut(draws, sourceOf)))
  const sources = new Set(draws.map(sourceOf)).size
  const model = { engine: ENGINE_VERSION, pages: draws.length, sources, knots }
  writeFileSync(CALIBRATION, `${JSON.stringify(model, null, 2)}\n`)
  writeFileSync(TREES, `${JSON.stringify(treesOf(draws))}\n`)
  console.log(`written: ${CALIBRATION}, ${TREES}`)
}
