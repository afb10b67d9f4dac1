// Processor time of routing by page over converting alone: `npm run bench:route -- [--documents N] [--seed S]`. Documents of 1 to
// 80 generated pages, a tenth of them scanned, go to the engine over HTTP; then their worst pages are chosen, cut out and put back
// from a second answer of the engine, which stands for the service's. It does not depend on what else the machine does. The last
// line is JSON, in milliseconds.
import { parseArgs } from 'node:util'
import { type AnswerReading, readAnswer } from '../../src/contract/read-answer.ts'
import { EXTENSIONS_HEADER } from '../../src/contract/extensions.ts'
import { PdfCutter } from '../../src/cut/pdf-cutter.ts'
import { createEngine } from '../../src/engine/create-engine.ts'
import { mergePages } from '../../src/ingest/route/merge-pages.ts'
import { outlookOf } from '../../src/ingest/route/page-outlook.ts'
import { pagesBelow } from '../../src/route/choose-pages.ts'
import { isBornDigital } from '../../test/support/mixed-pages/born-digital.ts'
import { kindOf, randomPage } from '../../test/support/mixed-pages/random-page.ts'
import { writePdf } from '../../test/support/mixed-pages/write-pdf.ts'
import { Random } from '../../test/support/random.ts'
import { processorMs } from '../engine/processor-time.ts'

const { values } = parseArgs({
  options: { documents: { type: 'string', default: '24' }, seed: { type: 'string', default: '1' } },
})
const SCANNED = 0.1
const MOST_PAGES = 80
/** Severity of the damage: pages that are worth buying. */
const SEVERITY = 4
const TERMS = { qualityFloor: 0.98, buyShare: 1, buyPages: null }
const never = new AbortController().signal
const random = new Random(Number(values.seed))
let nextSeed = Number(values.seed) * 1_000_000

/** A page that is scanned, or one that was born digital. */
async function drawnPage(isScanned: boolean): ReturnType<typeof randomPage> {
  for (;;) {
    nextSeed += 1
    if (isBornDigital(kindOf(nextSeed)) !== isScanned) return randomPage(nextSeed, isScanned ? SEVERITY : 1)
  }
}

async function drawnDocument(): Promise<{ readonly pdf: Buffer; readonly pages: number; readonly scanned: number }> {
  const count = Math.floor(Math.exp(random.next() * Math.log(MOST_PAGES + 1)))
  const scans = Array.from({ length: count }, () => random.next() < SCANNED)
  const pages = await Promise.all(scans.map(drawnPage))
  return { pdf: writePdf(...pages.map(({ content }) => content)), pages: count, scanned: scans.filter(Boolean).length }
}

async function converted(url: string, pdf: Buffer): Promise<AnswerReading> {
  const form = new FormData()
  const parsers = [{ type: 'pdf', pages: true, blocks: true }]
  form.append('options', JSON.stringify({ timeout: 280_000, parsers }))
  form.append('file', new File([new Uint8Array(pdf)], 'a.pdf'))
  const response = await fetch(`${url}/v2/parse`, { method: 'POST', body: form, headers: { [EXTENSIONS_HEADER]: '1' } })
  if (!response.ok) throw new Error(`the engine answered ${response.status}: ${await response.text()}`)
  return readAnswer(Buffer.from(await response.arrayBuffer()), Date.now())
}

interface Spent {
  convert: number
  choose: number
  cut: number
  merge: number
}

/** What runs in this process alone is measured finer than what child processes do. */
async function measured<T>(spent: Spent, name: keyof Spent, work: () => T | Promise<T>): Promise<T> {
  const isOwn = name === 'choose' || name === 'merge'
  const ranMs = (): number => {
    const { user, system } = process.cpuUsage()
    return isOwn ? (user + system) / 1000 : processorMs(process.pid)
  }
  const began = ranMs()
  const result = await work()
  spent[name] += ranMs() - began
  return result
}

const cutter = new PdfCutter()

/** Pages of the document that were cut out; converts, chooses, cuts and puts back. */
async function route(url: string, pdf: Buffer, spent: Spent): Promise<number> {
  const local = await measured(spent, 'convert', () => converted(url, pdf))
  const pages = await measured(spent, 'choose', () => pagesBelow(TERMS, outlookOf(local) ?? []))
  if (pages.length === 0) return 0
  const list = pages.toSorted((a, b) => a - b)
  const small = await measured(spent, 'cut', async () => {
    const read = async function* (): AsyncGenerator<Buffer> {
      yield pdf
    }
    const cut = await cutter.cut({ read, upToPage: null, lists: [list] }, never)
    if ('message' in cut) throw new Error(cut.message)
    await using document = cut
    const chunks: Uint8Array[] = []
    for (const piece of document.pieces) for await (const chunk of piece.read(never)) chunks.push(Buffer.from(chunk))
    return Buffer.concat(chunks)
  })
  const reading = await converted(url, small)
  await measured(spent, 'merge', () =>
    mergePages(local, [{ pages: list, reading }], { pageMarkers: false }, Date.now()),
  )
  return list.length
}

const rounded = (ms: number): number => Math.round(ms * 100) / 100
await using engine = await createEngine({ children: 1 })
const warm = await drawnDocument()
await converted(engine.url, warm.pdf)
const spent: Spent = { convert: 0, choose: 0, cut: 0, merge: 0 }
let [pages, scanned, bought, cuts] = [0, 0, 0, 0]
for (let number = 0; number < Number(values.documents); number += 1) {
  const document = await drawnDocument()
  const count = await route(engine.url, document.pdf, spent)
  pages += document.pages
  scanned += document.scanned
  bought += count
  cuts += count > 0 ? 1 : 0
}
const overhead = spent.choose + spent.cut + spent.merge
const result = {
  documents: Number(values.documents),
  pages,
  scanned,
  bought,
  convertMs: rounded(spent.convert),
  overheadMs: rounded(overhead),
  overheadPercent: rounded((100 * overhead) / spent.convert),
  overheadMsEachPage: rounded(overhead / pages),
  cutMsEachDocument: rounded(spent.cut / Math.max(1, cuts)),
  mergeMsEachDocument: rounded(spent.merge / Math.max(1, cuts)),
}
console.log(
  `${pages} pages, ${scanned} of them scanned, ${bought} bought: converting took ${result.convertMs} ms of CPU, routing ${result.overheadMs} ms`,
)
console.log(JSON.stringify(result))
