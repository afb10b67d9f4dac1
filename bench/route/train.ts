// Calibrates the page predictor and says how well it does on pages of sources and damages that it was not trained on:
// `npm run route:train -- [--write] FILE…`, each FILE made by read-pages.ts. `--write` replaces the model.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { ENGINE_VERSION } from '../../src/engine/version.ts'
import type { DrawResult } from '../../test/support/mixed-pages/read-draw.ts'
import { auc, calibrationError } from '../grade/measures.ts'
import { intervalByGroup } from './bootstrap.ts'
import { knotsOf } from './calibrate.ts'
import { byModel, gradeBy, heldOut, type JudgedPage } from './held-out.ts'
import { linesOf } from './lines-of.ts'

const MODEL = join(import.meta.dirname, '../../src/route/predict-model.json')

const files = process.argv.slice(2).filter((argument) => !argument.startsWith('--'))
const draws = files.flatMap(linesOf)

const damageOf = ({ kind, damage }: DrawResult): string => (damage === 'none' ? kind : damage)
/** AUC and calibration take the probability of a good page for a grade. */
const graded = (pages: readonly JudgedPage[]): { grade: number; good: boolean }[] =>
  pages.map(({ badProbability, good }) => ({ grade: 1 - badProbability, good }))
const rank = (pages: readonly JudgedPage[]): number => auc(pages)

function report(name: string, pages: readonly JudgedPage[]): void {
  const [low, high] = intervalByGroup(pages, ({ draw }) => draw.source, rank)
  const bad = pages.filter(({ good }) => !good).length
  const error = pages.reduce((sum, page) => sum + Math.abs(page.expectedQuality - page.draw.f1), 0) / pages.length
  console.log(
    `${name}: ${pages.length} pages, ${bad} bad; AUC ${rank(pages).toFixed(3)} [${low.toFixed(3)}, ${high.toFixed(3)}], ` +
      `ECE ${calibrationError(graded(pages)).toFixed(3)}, mean error of the quality ${error.toFixed(3)}`,
  )
}

const unseenSources = heldOut(draws, ({ source }) => source)
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
report('the model in the project', byModel(draws))
if (process.argv.includes('--write')) {
  const knots = knotsOf(draws.map((draw) => ({ grade: gradeBy(draw), quality: draw.f1 })))
  const sources = new Set(draws.map(({ source }) => source)).size
  writeFileSync(MODEL, `${JSON.stringify({ engine: ENGINE_VERSION, pages: draws.length, sources, knots }, null, 2)}\n`)
  console.log(`written: ${MODEL}`)
}
