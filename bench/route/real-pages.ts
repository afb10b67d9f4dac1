// Says how well the predictor ranks real PDFs: `npm run route:real -- [--only PATTERN] SET…`, each SET with docs/*.pdf and a
// truth for each in gt/*.pdf.md. Only documents of one page count, because a truth is of a document. Prints a line a page.
import { existsSync, globSync, readFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { parseArgs } from 'node:util'
import { convertPdf } from '../../src/engine/pdf/convert-pdf.ts'
import { gradePage } from '../../src/engine/grade/grade-page.ts'
import { ENGINE_VERSION } from '../../src/engine/version.ts'
import { agreementOf } from '../../src/route/audit/agreement.ts'
import { predictPage } from '../../src/route/predict-page.ts'
import { auc, interval } from '../grade/measures.ts'
import { Random } from '../../test/support/random.ts'

const GOOD_F1 = 0.9

interface RealPage {
  readonly name: string
  readonly f1: number
  readonly grade: number
  readonly expected: number
  readonly usedOcr: boolean
}

/** Letters and digits of a truth or an answer: no markup of tables, no syntax of Markdown. */
const plain = (markdown: string): string => markdown.replace(/<[^>]*>/g, ' ').replace(/[|*_#`$\\{}^]/g, ' ')

async function readPage(path: string, truth: string, folder: string): Promise<RealPage | null> {
  const options = { type: 'pdf', mode: 'auto', pages: false, blocks: true, pageMarkers: false } as const
  const { markdown, quality } = await convertPdf(
    { path, cacheFolder: join(folder, 'cache'), onlyMainContent: false },
    options,
  )
  const [page, ...more] = quality ?? []
  if (page === undefined || more.length > 0) return null
  const { grade, expected } = gradePage(page)
  const { expectedQuality } = predictPage({ grade, expected }, ENGINE_VERSION)
  const f1 = agreementOf(plain(markdown), plain(truth)).text
  return { name: basename(path), f1, grade, expected: expectedQuality, usedOcr: page.signals.ocr !== null }
}

function report(name: string, pages: readonly RealPage[]): void {
  const judged = pages.map(({ expected, f1 }) => ({ grade: expected, good: f1 >= GOOD_F1 }))
  const random = new Random(1)
  const [low, high] = interval(judged, auc, () => random.next())
  const bad = judged.filter(({ good }) => !good).length
  const error = pages.reduce((sum, { expected, f1 }) => sum + Math.abs(expected - f1), 0) / Math.max(1, pages.length)
  console.log(
    `${name}: ${pages.length} pages, ${bad} bad; AUC ${auc(judged).toFixed(3)} [${low.toFixed(3)}, ${high.toFixed(3)}], mean error ${error.toFixed(3)}`,
  )
}

const { values, positionals: sets } = parseArgs({
  options: { only: { type: 'string', default: '' } },
  allowPositionals: true,
})
const only = new RegExp(values.only)
if (sets.length === 0) {
  console.error('usage: npm run route:real -- [--only PATTERN] SET…')
  process.exit(1)
}
const folder = await mkdtemp(join(tmpdir(), 'real-pages-'))
const pages: RealPage[] = []
try {
  for (const set of sets) {
    for (const name of globSync('docs/*.pdf', { cwd: set }).toSorted()) {
      const truth = join(set, 'gt', `${basename(name)}.md`)
      if (!existsSync(truth) || !only.test(basename(name))) continue
      const page = await readPage(join(set, name), readFileSync(truth, 'utf8'), folder)
      if (page === null) continue
      pages.push(page)
      console.log(JSON.stringify(page))
    }
  }
} finally {
  await rm(folder, { recursive: true })
}
report('all', pages)
report(
  'read by OCR',
  pages.filter(({ usedOcr }) => usedOcr),
)
