// Forms and pages with exact truth, drawn at random and read by the engine and by its PDF library alone (its own Markdown):
// `npm run bench:pdf-families -- [--seed N] [--count N] [--scanned] [--only forms,pages] [--misses]`. Prints the share of checks that hold, by family and
// kind; `--scanned` draws each page as a scan of 200 dpi first, which the library alone reads without OCR; `--misses` each check that the engine missed.
// The last line is JSON.
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { LiteParse } from '@llamaindex/liteparse'
import { convertPdf } from '../../src/engine/pdf/convert-pdf.ts'
import { buildPdf } from '../../test/support/build-pdf.ts'
import { Random } from '../../test/support/random.ts'
import { type Check, holds } from './checks.ts'
import { type Drawn, form } from './forms.ts'
import { page } from './pages.ts'
import { scanOf } from './scan.ts'

const { values } = parseArgs({
  options: {
    seed: { type: 'string', default: '1' },
    count: { type: 'string', default: '50' },
    scanned: { type: 'boolean', default: false },
    only: { type: 'string', default: 'forms,pages' },
    misses: { type: 'boolean', default: false },
  },
})
const [SEED, COUNT] = [Number(values.seed), Number(values.count)]
const FAMILIES = Object.entries<(random: Random) => Drawn>({ forms: form, pages: page }).filter(([name]) =>
  values.only.split(',').includes(name),
)

interface Outcome {
  readonly family: string
  readonly kind: Check['kind']
  readonly document: number
  readonly engine: boolean
  readonly library: boolean
}

const share = (some: readonly Outcome[], who: 'engine' | 'library'): number =>
  some.filter((one) => one[who]).length / Math.max(1, some.length)

/** Documents count alike, whatever number of checks they have. */
function meanOf(some: readonly Outcome[], who: 'engine' | 'library'): number {
  const documents = [...Map.groupBy(some, ({ document }) => document).values()]
  return documents.reduce((sum, document) => sum + share(document, who), 0) / Math.max(1, documents.length)
}

const folder = await mkdtemp(join(tmpdir(), 'pdf-families-'))
const outcomes: Outcome[] = []
try {
  for (const [family, draw] of FAMILIES) {
    for (let document = 0; document < COUNT; document += 1) {
      const { content, checks } = draw(new Random(SEED * 10_000 + document))
      const path = join(folder, 'drawn.pdf')
      const pdf = buildPdf([{ content }])
      await writeFile(path, values.scanned ? await scanOf(pdf) : pdf)
      const { markdown, blocks } = await convertPdf(
        { path, cacheFolder: folder, onlyMainContent: true },
        { type: 'pdf', mode: 'auto', pages: false, blocks: true, pageMarkers: false },
      )
      const figures = blocks?.[0]?.items.filter(({ type }) => type === 'figure').length ?? 0
      const raw = await new LiteParse({
        ocrEnabled: false,
        outputFormat: 'markdown',
        extractBlocks: true,
        quiet: true,
      }).parse(path)
      for (const check of checks) {
        const engine = holds(check, markdown, figures)
        const library = holds(
          check,
          raw.text,
          raw.pages[0]?.blocks?.filter(({ kind }) => kind === 'figure').length ?? 0,
        )
        outcomes.push({ family, kind: check.kind, document, engine, library })
        if (values.misses && !engine) console.log(`${family} ${document}: ${JSON.stringify(check)}`)
      }
    }
  }
} finally {
  await rm(folder, { recursive: true })
}

const report = FAMILIES.map(([family]) => {
  const ofFamily = outcomes.filter((one) => one.family === family)
  console.log(
    `\n${family}: ${COUNT} ${values.scanned ? 'scanned' : 'drawn'} with seed ${SEED}; engine ${meanOf(ofFamily, 'engine').toFixed(3)}, library ${meanOf(ofFamily, 'library').toFixed(3)}`,
  )
  for (const [kind, some] of Map.groupBy(ofFamily, (one) => one.kind)) {
    console.log(
      `  ${kind.padEnd(8)} ${String(some.length).padStart(5)}  engine ${share(some, 'engine').toFixed(3)}  library ${share(some, 'library').toFixed(3)}`,
    )
  }
  return { family, documents: COUNT, engine: meanOf(ofFamily, 'engine'), library: meanOf(ofFamily, 'library') }
})
console.log(JSON.stringify({ seed: SEED, scanned: values.scanned, families: report }))
