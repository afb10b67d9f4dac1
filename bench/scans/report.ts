import { auc } from '../../scripts/models/measures.ts'
import type { KnownPageReading } from '../../test/support/mixed-pages/read-draw.ts'
import { quantile, rounded } from '../support/statistics.ts'
import type { BesideReading } from './beside.ts'
import type { ScanKind, ScanPage } from './scan-page.ts'

/** A page as it was read; what the scripts of the models know of a drawn page, and more. */
export interface ScanResult
  extends Omit<KnownPageReading, 'markdown'>, Omit<ScanPage, 'kind' | 'pdf' | 'uprightPdf' | 'truth'> {
  readonly kind: 'scan'
  readonly damage: ScanKind
  /** Edit similarity of the words in their order, 0 to 1. */
  readonly text: number
  readonly grade: number
  readonly expected: number | null
  readonly beside: BesideReading | null
}

/** A page below this F1 is of no use, and its grade has to be low. */
const BAD_F1 = 0.8
const GOOD_F1 = 0.9
/** From this grade on the engine does not report a page by it (`MIN_GRADE` of packages/engine/src/pdf/doubtful.ts). */
const FLOOR = 0.5

/** Whether a page read badly with a grade above the floor. */
export const isSilent = ({ f1, grade }: ScanResult): boolean => f1 < BAD_F1 && grade >= FLOOR

type Spread = Readonly<Record<'median' | 'lowest5' | 'worst', number>>

function spreadOf(values: readonly number[]): Spread {
  const [median = 0, lowest5 = 0, worst = 0] = [0.5, 0.05, 0].map((share) => rounded(quantile(values, share)))
  return { median, lowest5, worst }
}

const secondsOf = (values: readonly number[]): number =>
  Math.round(values.reduce((sum, ms) => sum + ms, 0) / Math.max(1, values.length) / 10) / 100

function figuresOf(pages: readonly ScanResult[]) {
  const beside = pages.flatMap((page) => page.beside ?? [])
  return {
    pages: pages.length,
    f1: spreadOf(pages.map(({ f1 }) => f1)),
    text: spreadOf(pages.map(({ text }) => text)),
    cpuSeconds: secondsOf(pages.map(({ cpuMs }) => cpuMs)),
    partial: pages.filter(({ status }) => status !== 'ok').length,
    tesseract:
      beside.length === 0
        ? null
        : { f1: spreadOf(beside.map(({ f1 }) => f1)), cpuSeconds: secondsOf(beside.map(({ cpuMs }) => cpuMs)) },
  }
}

/** Prints a row for each kind, how well the grade ranks bad pages, and all of it as JSON. */
export function report(results: readonly ScanResult[]): void {
  const groups = new Map([['all', results], ...Map.groupBy(results, ({ damage }) => damage as string)])
  const kinds = Object.fromEntries([...groups].map(([kind, pages]) => [kind, figuresOf(pages)]))
  const shown = ({ median, lowest5, worst }: Spread): string =>
    [median, lowest5, worst].map((value) => value.toFixed(3)).join(' ')
  console.log(
    'kind | pages | F1: median, lowest 5 %, worst | text: the same | CPU s | partial | Tesseract F1: the same | CPU s',
  )
  for (const [kind, { pages, f1, text, cpuSeconds, partial, tesseract }] of Object.entries(kinds)) {
    const beside = tesseract === null ? '' : ` | ${shown(tesseract.f1)} | ${tesseract.cpuSeconds}`
    console.log(`${kind} | ${pages} | ${shown(f1)} | ${shown(text)} | ${cpuSeconds} | ${partial}${beside}`)
  }
  const rank = (grade: (page: ScanResult) => number): number =>
    rounded(auc(results.map((page) => ({ grade: grade(page), good: page.f1 >= GOOD_F1 }))))
  const silent = results.filter(isSilent)
  for (const { seed, damage, f1, grade, status, sizePoints, dpi } of silent) {
    console.log(
      `silent: seed ${seed}, ${damage}, ${sizePoints} pt, ${dpi} dpi, F1 ${f1.toFixed(3)}, grade ${grade}, ${status}`,
    )
  }
  console.log(
    JSON.stringify({
      kinds,
      bad: results.filter(({ f1 }) => f1 < GOOD_F1).length,
      aucOfGrade: rank(({ grade }) => grade),
      aucOfExpected: rank(({ expected }) => expected ?? 0),
      silent: silent.map(({ seed }) => seed),
      silentAndOk: silent.filter(({ status }) => status === 'ok').map(({ seed }) => seed),
      silentShare: rounded(silent.length / Math.max(1, results.length)),
    }),
  )
}
