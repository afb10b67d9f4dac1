// How well scans are read: generated ones whose words are known exactly, twelve kinds in turn, through the engine's own conversion.
// `npm run bench -- scans [--pages N] [--seed S] [--kinds plain,fax] [--beside] [--fonts FOLDER:FOLDER] [--languages FOLDER] [--keep FOLDER] [--lines FILE]`.
// `--beside`: Tesseract, given the language and the upright page. `--keep`: PDF, truth and text of each page that read badly with a grade above the floor.
// `--lines`: appends what is known of each page, for scripts/models. The data of languages is fetched once into the folder of `--languages`. The last line is JSON.
import { appendFileSync, mkdirSync, writeFileSync } from 'node:fs'
import leven from 'leven'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { gradePage } from '../../packages/engine/src/grade/grade-page.ts'
import { LanguageStore } from '../../packages/engine/src/languages/language-store.ts'
import { readKnownPage, wordsIn } from '../../test/support/mixed-pages/read-draw.ts'
import { tempFolder } from '../../test/support/temp-folder.ts'
import { codeOfPage, readBeside } from './beside.ts'
import { fontsIn, lackingFonts } from './fonts.ts'
import { LATIN } from './prose.ts'
import { isSilent, report, type ScanResult } from './report.ts'
import { SCAN_KINDS, scanPage } from './scan-page.ts'

const { values } = parseArgs({
  options: {
    pages: { type: 'string', default: '60' },
    seed: { type: 'string', default: String(Math.floor(Math.random() * 2 ** 31)) },
    kinds: { type: 'string', default: SCAN_KINDS.join(',') },
    beside: { type: 'boolean', default: false },
    fonts: { type: 'string', default: '/usr/share/fonts' },
    languages: { type: 'string', default: join(homedir(), '.cache/sluice/ocr-languages') },
    keep: { type: 'string' },
    lines: { type: 'string' },
  },
})

const fonts = fontsIn(values.fonts.split(':'))
for (const sentence of lackingFonts(fonts)) console.log(sentence)
const kinds = SCAN_KINDS.filter((kind) => {
  const faces = kind.startsWith('chinese') ? fonts.chinese : fonts.latin
  return faces.length > 0 && values.kinds.split(',').includes(kind)
})
const [first, count] = [Number(values.seed), kinds.length === 0 ? 0 : Number(values.pages)]
const store = new LanguageStore({ folder: values.languages, notify: console.log })
await store.obtain([...LATIN, 'Chinese' as const].map((language) => codeOfPage(language)))
console.log(`--seed ${first}`)

await using folder = await tempFolder()
const results: ScanResult[] = []
for (let seed = first; seed < first + count; seed += 1) {
  const page = await scanPage(seed, fonts, kinds)
  const { markdown, ...read } = await readKnownPage(page, folder.path, values.languages)
  const { kind: damage, pdf, uprightPdf: _, truth, ...known } = page
  const { grade, expected } = gradePage(read.quality)
  const beside = values.beside ? await readBeside(page, folder.path, values.languages) : null
  const text = textSimilarity(truth, markdown)
  const result: ScanResult = { ...known, kind: 'scan', damage, ...read, text, grade, expected, beside }
  results.push(result)
  if (values.lines !== undefined) appendFileSync(values.lines, `${JSON.stringify(result)}\n`)
  if (values.keep !== undefined && isSilent(result)) {
    mkdirSync(values.keep, { recursive: true })
    writeFileSync(join(values.keep, `${seed}.pdf`), pdf)
    writeFileSync(join(values.keep, `${seed}.truth.txt`), truth)
    writeFileSync(join(values.keep, `${seed}.md`), markdown)
  }
}
report(results)

/** Edit similarity of two texts, 0 to 1: their words in order, without marks of Markdown and of sentences. */
function textSimilarity(truth: string, found: string): number {
  const [one, other] = [wordsIn(truth).join(' '), wordsIn(found).join(' ')]
  return 1 - leven(one, other) / Math.max(1, one.length, other.length)
}
