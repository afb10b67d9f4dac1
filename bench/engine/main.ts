// Processor time of the embedded engine over HTTP, its children included, beside the raw libraries in the same run:
// `npm run bench -- engine [--docs FOLDER] [--rounds N] [--only office,pdf] [--warm-up DOCUMENTS]`. Two requests in flight, all of Markdown, pages and blocks
// asked for, from a client whose own time does not count; before, as many documents as make a new process fast (300). Office documents above 1 MB are left
// out. On a machine that is busy with other work the same instructions take up to twice the processor time; compare with the raw library. The last line is JSON.
import { formatFromExtension, toMarkdownBytes } from '@firecrawl/anydoc'
import { LiteParse } from '@llamaindex/liteparse'
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { globSync, readFileSync, statSync } from 'node:fs'
import { basename, join } from 'node:path'
import { parseArgs } from 'node:util'
import { extensionOf, formatOf, type Extension } from '../../src/document/formats.ts'
import { processorMs } from './processor-time.ts'

const { values } = parseArgs({
  options: {
    docs: { type: 'string', default: join(import.meta.dirname, '../../samples') },
    rounds: { type: 'string', default: '10' },
    'warm-up': { type: 'string', default: '300' },
    only: { type: 'string', default: 'office,pdf' },
  },
})
const ROUNDS = Number(values.rounds)
const MOST_BYTES = 1024 ** 2
/** A scan costs what OCR costs: seconds a page, in any program. */
const SCAN = /scan/i

interface Document {
  readonly path: string
  readonly bytes: Buffer
  readonly extension: Extension
  readonly isPdf: boolean
}

function documentsOf(folder: string): Document[] {
  return globSync('**/*.*', { cwd: folder }).flatMap((name) => {
    const path = join(folder, name)
    const extension = extensionOf(name)
    if (extension === null || SCAN.test(name) || !statSync(path).isFile()) return []
    const isPdf = extension === 'pdf'
    const bytes = readFileSync(path)
    return !isPdf && bytes.length > MOST_BYTES ? [] : [{ path, bytes, extension, isPdf }]
  })
}

/** Pages that were answered; null where the document was refused. */
async function parse(url: string, { path, bytes, isPdf }: Document): Promise<number | null> {
  const form = new FormData()
  const parsers = isPdf ? [{ type: 'pdf', pages: true, blocks: true }] : undefined
  form.append('options', JSON.stringify({ timeout: 120_000, parsers }))
  form.append('file', new File([new Uint8Array(bytes)], basename(path)))
  const response = await fetch(`${url}/v2/parse`, {
    method: 'POST',
    body: form,
    headers: { 'x-sluice-extensions': '1' },
  })
  const body = (await response.json()) as { readonly data?: { readonly metadata?: { readonly numPages?: number } } }
  return response.ok ? (body.data?.metadata?.numPages ?? 1) : null
}

interface Figures {
  readonly units: number
  readonly cpuMsEach: number
  readonly perSecond: number
}

interface Engine extends AsyncDisposable {
  readonly url: string
  readonly pid: number
}

async function startEngine(): Promise<Engine> {
  const child = fork(join(import.meta.dirname, 'engine-process.ts'), { execArgv: process.execArgv })
  const [url] = (await once(child, 'message')) as [string]
  return {
    url,
    pid: child.pid ?? 0,
    async [Symbol.asyncDispose]() {
      child.disconnect()
      await once(child, 'exit')
    },
  }
}

/** Sends all documents `ROUNDS` times, two in flight. */
async function overHttp(engine: Engine, documents: readonly Document[], rounds: number): Promise<Figures> {
  const { url, pid } = engine
  const queue = Array.from({ length: rounds }, () => documents).flat()
  const [cpu, wall] = [processorMs(pid), performance.now()]
  let units = 0
  const sender = async (): Promise<void> => {
    for (let document = queue.pop(); document !== undefined; document = queue.pop()) {
      const answered = await parse(url, document)
      units += answered ?? 0
    }
  }
  await Promise.all([sender(), sender()])
  return figures(units, processorMs(pid) - cpu, performance.now() - wall)
}

async function raw(documents: readonly Document[], rounds: number): Promise<Figures> {
  const library = new LiteParse({ ocrEnabled: false, outputFormat: 'markdown', quiet: true })
  const [cpu, wall] = [processorMs(process.pid), performance.now()]
  let units = 0
  for (let round = 0; round < rounds; round += 1) {
    for (const { path, bytes, extension, isPdf } of documents) {
      try {
        const pages = isPdf ? (await library.parse(path)).pages.length : 1
        if (!isPdf) await toMarkdownBytes(bytes, formatFromExtension(extension))
        units += pages
      } catch {
        // What the library refuses counts as nothing, as what the engine refuses does.
      }
    }
  }
  return figures(units, processorMs(process.pid) - cpu, performance.now() - wall)
}

const rounded = (value: number): number => Math.round(value * 100) / 100

const figures = (units: number, cpuMs: number, wallMs: number): Figures => ({
  units,
  cpuMsEach: rounded(cpuMs / Math.max(1, units)),
  perSecond: rounded((1000 * units) / wallMs),
})

const documents = documentsOf(values.docs)
const kinds = {
  office: documents.filter(({ extension }) => ['office', 'csv'].includes(formatOf(extension).family)),
  pdf: documents.filter(({ isPdf }) => isPdf),
}
const engine = await startEngine()
const result: Record<string, { readonly documents: number; readonly engine: Figures; readonly raw: Figures }> = {}
try {
  for (const [kind, chosen] of Object.entries(kinds)) {
    if (chosen.length === 0 || !values.only.split(',').includes(kind)) continue
    const warmUp = Math.ceil(Number(values['warm-up']) / chosen.length)
    await overHttp(engine, chosen, warmUp)
    await raw(chosen, warmUp)
    const [http, library] = [await overHttp(engine, chosen, ROUNDS), await raw(chosen, ROUNDS)]
    result[kind] = { documents: chosen.length, engine: http, raw: library }
    const unit = kind === 'pdf' ? 'page' : 'document'
    console.log(
      `${kind}: engine ${http.cpuMsEach} ms a ${unit}, ${http.perSecond}/s; raw library ${library.cpuMsEach} ms, ${library.perSecond}/s`,
    )
  }
} finally {
  await engine[Symbol.asyncDispose]()
}
console.log(JSON.stringify({ rounds: ROUNDS, ...result }))
