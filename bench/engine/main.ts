// Processor time of `./sluice engine`, started as users start it, over HTTP, beside the raw libraries in the same rounds:
// `npm run bench -- engine [--docs FOLDER] [--rounds N] [--only office,web,fast,auto] [--warm-up DOCUMENTS]`. `fast` and `auto` are the modes of a PDF. Two
// requests in flight, all of Markdown, pages and blocks asked for, from this process, whose own time does not count; before, as many documents as make a new
// process fast (300). Scans, and Office and web documents above 1 MB, are left out. Figures are medians of the rounds. A busy machine takes up to twice the
// processor time for the same instructions: compare with the raw library. The last line is JSON, with the converter processes that the engine replaced.
import { formatFromExtension, toMarkdownBytes } from '@firecrawl/anydoc'
import { LiteParse } from '@llamaindex/liteparse'
import { Readability } from '@mozilla/readability'
import { parseHTML } from 'linkedom'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { globSync, readFileSync, statSync } from 'node:fs'
import { basename, join, resolve } from 'node:path'
import { createInterface } from 'node:readline'
import { parseArgs } from 'node:util'
import { extensionOf, formatOf, type Extension } from '@sluice/contract'
import { quantile } from '../support/statistics.ts'
import { childProcesses, processorMs } from './processor-time.ts'

const ROOT = resolve(import.meta.dirname, '../..')
const { values } = parseArgs({
  options: {
    docs: { type: 'string', default: join(ROOT, 'samples') },
    rounds: { type: 'string', default: '5' },
    'warm-up': { type: 'string', default: '300' },
    only: { type: 'string', default: 'office,web,fast,auto' },
  },
})
const ROUNDS = Math.max(5, Number(values.rounds))
const MAX_BYTES = 1024 ** 2
/** Of a round: the system counts processor time in hundredths of a second. */
const MIN_DOCUMENTS = 40
/** A scan costs what OCR costs: seconds a page, in any program (`npm run bench -- scans`). */
const SCAN = /scan/i

interface Document {
  readonly path: string
  readonly bytes: Buffer
  readonly extension: Extension
  readonly family: 'office' | 'web' | 'pdf'
}

function documentsOf(folder: string): Document[] {
  return globSync('**/*.*', { cwd: folder }).flatMap((name) => {
    const path = join(folder, name)
    const extension = extensionOf(name)
    if (extension === null || SCAN.test(name) || !statSync(path).isFile()) return []
    const { family: known } = formatOf(extension)
    const family = known === 'pdf' ? known : known === 'html' ? 'web' : 'office'
    const bytes = readFileSync(path)
    return family !== 'pdf' && bytes.length > MAX_BYTES ? [] : [{ path, bytes, extension, family }]
  })
}

/** Pages that were answered; 0 where the document was refused. */
async function parse(url: string, { path, bytes, family }: Document, mode: string): Promise<number> {
  const form = new FormData()
  const parsers = family === 'pdf' ? [{ type: 'pdf', mode, pages: true, blocks: true }] : undefined
  form.append('options', JSON.stringify({ timeout: 120_000, parsers }))
  form.append('file', new File([new Uint8Array(bytes)], basename(path)))
  const response = await fetch(`${url}/v2/parse`, {
    method: 'POST',
    body: form,
    headers: { 'x-sluice-extensions': '1' },
  })
  const body = (await response.json()) as { readonly data?: { readonly metadata?: { readonly numPages?: number } } }
  return response.ok ? (body.data?.metadata?.numPages ?? 1) : 0
}

const liteparse = new LiteParse({ ocrEnabled: false, outputFormat: 'markdown', quiet: true })

/** As `parse`, by the library alone. */
async function readAlone({ path, bytes, extension, family }: Document): Promise<number> {
  try {
    if (family === 'pdf') return (await liteparse.parse(path)).pages.length
    if (family === 'web') new Readability(parseHTML(bytes.toString('utf8')).document).parse()
    else await toMarkdownBytes(bytes, formatFromExtension(extension))
    return 1
  } catch {
    return 0
  }
}

class Engine implements AsyncDisposable {
  readonly #process = spawn(join(ROOT, 'sluice'), ['engine', '--json'], { stdio: ['ignore', 'pipe', 'inherit'] })
  /** Converter processes so far. */
  readonly #seen = new Set<number>()
  #url = ''
  #documents = 0

  async start(): Promise<void> {
    const [line] = (await once(createInterface({ input: this.#process.stdout }), 'line')) as [string]
    this.#url = (JSON.parse(line) as { readonly url: string }).url
  }

  async parse(document: Document, mode: string): Promise<number> {
    const pages = await parse(this.#url, document, mode)
    this.#documents += 1
    for (const pid of childProcesses(this.#process.pid ?? 0)) this.#seen.add(pid)
    return pages
  }

  /** The launcher becomes the engine: all is below one process. */
  cpuMs(): number {
    return processorMs(this.#process.pid ?? 0)
  }

  get replaced() {
    const replaced = this.#seen.size - childProcesses(this.#process.pid ?? 0).length
    return { documents: this.#documents, replaced }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#process.kill('SIGTERM')
    await once(this.#process, 'exit')
  }
}

/** Processor time in ms for each page, or document that has none; two are in flight. */
async function round(
  documents: readonly Document[],
  read: (document: Document) => Promise<number>,
  cpuMs: () => number,
): Promise<number> {
  const times = Math.ceil(MIN_DOCUMENTS / documents.length)
  const queue = Array.from({ length: times }, () => documents).flat()
  const before = cpuMs()
  let units = 0
  const sender = async (): Promise<void> => {
    for (let document = queue.pop(); document !== undefined; document = queue.pop()) {
      const pages = await read(document)
      units += pages
    }
  }
  await Promise.all([sender(), sender()])
  return (cpuMs() - before) / Math.max(1, units)
}

const ownMs = (): number => {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1000
}

const hundredths = (value: number): number => Math.round(value * 100) / 100

async function measure(kind: string, documents: readonly Document[], engine: Engine) {
  const sluice = (): Promise<number> =>
    round(
      documents,
      (each) => engine.parse(each, kind),
      () => engine.cpuMs(),
    )
  const alone = (): Promise<number> => round(documents, readAlone, ownMs)
  for (let done = 0; done < Number(values['warm-up']); done += Math.max(MIN_DOCUMENTS, documents.length)) {
    await sluice()
    await alone()
  }
  const [ours, raw]: [number[], number[]] = [[], []]
  for (let count = 0; count < ROUNDS; count += 1) {
    ours.push(await sluice())
    raw.push(await alone())
  }
  const [engineMs, rawMs] = [quantile(ours, 0.5), quantile(raw, 0.5)].map(hundredths)
  const times = hundredths(quantile(ours, 0.5) / quantile(raw, 0.5))
  const unit = documents[0]?.family === 'pdf' ? 'page' : 'document'
  console.log(
    `${kind}: ${documents.length} documents, ${engineMs} ms a ${unit}; raw library ${rawMs} ms: ${times} times`,
  )
  return [kind, { documents: documents.length, engineMs, rawMs, times, rounds: ours.map(hundredths) }] as const
}

const all = documentsOf(values.docs)
const families = { office: 'office', web: 'web', fast: 'pdf', auto: 'pdf' } as const
await using engine = new Engine()
await engine.start()
const results: (readonly [string, unknown])[] = []
for (const [kind, family] of Object.entries(families)) {
  const documents = all.filter((document) => document.family === family)
  if (documents.length > 0 && values.only.split(',').includes(kind))
    results.push(await measure(kind, documents, engine))
}
console.log(JSON.stringify({ bench: 'engine', rounds: ROUNDS, ...engine.replaced, ...Object.fromEntries(results) }))
