// Trains the grade on read draws and reports its quality on held-out pages: `node scripts/models/train-grade.ts
// [--write] FILE…`, each FILE made by read-pages.ts. `--write` replaces the engine's weights.
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { featuresOf } from '../../packages/engine/src/grade/grade-features.ts'
import { probabilityOf } from '../../packages/engine/src/grade/grade-model.ts'
import { ENGINE_VERSION } from '@sluice/engine'
import type { DrawResult } from '../../test/support/mixed-pages/read-draw.ts'
import { Random } from '../../test/support/random.ts'
import { fitted } from './logistic.ts'
import { auc, calibrationError, foundAt, type Graded, interval } from './measures.ts'

const MODEL = join(import.meta.dirname, '../../packages/engine/src/grade/grade-model.json')
const GOOD_F1 = 0.9
const FOLDS = 8

const files = process.argv.slice(2).filter((argument) => !argument.startsWith('--'))
const draws = files.flatMap((file) =>
  readFileSync(file, 'utf8')
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line) as DrawResult),
)
const examples = draws.map((draw) => ({ draw, features: featuresOf(draw.quality.signals), good: draw.f1 >= GOOD_F1 }))
type Judged = Graded & { readonly draw: DrawResult }

/** Grades each page with a model that saw no page of its group. */
function heldOut(groupOf: (draw: DrawResult) => string | number): Judged[] {
  const groups = [...new Set(examples.map(({ draw }) => groupOf(draw)))]
  return groups.flatMap((group) => {
    const model = fitted(
      examples.filter(({ draw }) => groupOf(draw) !== group),
      ENGINE_VERSION,
    )
    return examples
      .filter(({ draw }) => groupOf(draw) === group)
      .map(({ draw, features, good }) => ({ draw, good, grade: probabilityOf(features, model) }))
  })
}

/** True if a bad page has too few words; otherwise it has enough words, but wrong ones. */
function isAbsent({ words, recall, f1 }: DrawResult): boolean {
  const common = recall * words
  return f1 === 0 || (2 * common) / f1 - words < GOOD_F1 * words
}

function report(name: string, pages: readonly Judged[]): void {
  const random = new Random(1)
  const [low, high] = interval(pages, auc, () => random.next())
  const good = pages.filter((page) => page.good)
  const bad = pages.filter((page) => !page.good)
  const absent = bad.filter(({ draw }) => isAbsent(draw))
  const misread = bad.filter((page) => !absent.includes(page))
  const shown = (value: number): string => value.toFixed(3)
  console.log(
    `${name}: ${pages.length} pages, ${bad.length} bad; AUC ${shown(auc(pages))} [${shown(low)}, ${shown(high)}], ECE ${shown(calibrationError(pages))}; ` +
      `at 5 % false alarms ${shown(foundAt(0.05, good, absent))} of ${absent.length} with absent words, ${shown(foundAt(0.05, good, misread))} of ${misread.length} with misread words`,
  )
}

report(
  'unseen sources',
  heldOut(({ source }) => source % FOLDS),
)
report(
  'unseen damage',
  heldOut(({ damage, kind }) => (damage === 'none' ? kind : damage)),
)
const byOcr = heldOut(({ source }) => source % FOLDS).filter(({ draw }) => draw.usedOcr)
report('unseen sources, pages read by OCR', byOcr)

if (process.argv.includes('--write')) {
  writeFileSync(MODEL, `${JSON.stringify(fitted(examples, ENGINE_VERSION), null, 2)}\n`)
  console.log(`written: ${MODEL}`)
}
