import { readdir, readFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import type { ChunkedDocument, TokenCounter } from '#src/corpus/chunks/chunk.ts'
import { chunkDocument } from '#src/corpus/chunks/chunk-document.ts'
import { openEncoding } from '#src/corpus/tokens/open-counter.ts'
import { openTokenizerFile } from '#src/corpus/tokens/tokenizer-file.ts'
import { writeTokenizers } from '../../test/corpus/support/tokenizer-files.ts'
import { tempFolder } from '../../test/support/temp-folder.ts'
import { Random } from '../../test/support/random.ts'
import { generatedReport } from './generated-report.ts'

const DOCUMENTS = 100
const LIMIT = 256
const ROUNDS = 7

/** Costs nothing: a token is a character. */
const free: TokenCounter = { name: 'characters', overhead: 0, count: (text) => text.length }

const cpuMs = (work: () => void): number => {
  const before = process.cpuUsage()
  work()
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1000
}

interface Plain {
  readonly markdown: string
  readonly blocks: readonly []
  readonly pages: readonly []
}

const plain = (markdown: string): Plain => ({ markdown, blocks: [], pages: [] })

export interface SpeedOfDividing {
  /** CPU of dividing ÷ CPU of counting every body once, by documents and encoding. */
  readonly ratios: Readonly<Record<string, number>>
  /** With a counter that costs nothing. */
  readonly chunksPerSecond: number
}

/** CPU time of dividing documents, beside that of counting every body once with the same tokenizer: the best of some rounds in turn. */
export async function measureSpeed(seed: number): Promise<SpeedOfDividing> {
  const random = new Random(seed)
  const reports = Array.from({ length: DOCUMENTS }, (_, index) => plain(generatedReport(random, index).markdown))
  const ratios = {
    ...(await compare('generated reports', reports)),
    ...(await compare('documentation of Sluice', await ownDocumentation())),
  }
  let chunks = 0
  let best = Infinity
  for (let round = 0; round < ROUNDS; round++) {
    chunks = 0
    const divide = (): void => reports.forEach((report) => (chunks += divided(report, free, LIMIT * 4).length))
    best = Math.min(best, cpuMs(divide))
  }
  const chunksPerSecond = Math.round(chunks / (best / 1000))
  console.log(`without a cost of counting: ${chunksPerSecond.toLocaleString('en')} chunks a second of CPU`)
  return { ratios, chunksPerSecond }
}

const divided = (document: Plain, counter: TokenCounter, limit: number): ChunkedDocument['chunks'] =>
  chunkDocument(document, { counter, limit, overlap: 0 }).chunks

async function compare(name: string, documents: readonly Plain[]): Promise<Record<string, number>> {
  const characters = documents.reduce((sum, { markdown }) => sum + markdown.length, 0)
  console.log(`${name}: ${(characters / 1e6).toFixed(1)} MB in ${documents.length} documents, limit ${LIMIT}`)
  const ratios: Record<string, number> = {}
  for (const counter of await counters()) {
    const bodies = documents.flatMap((document) => divided(document, counter, LIMIT).map(({ body }) => body))
    let [counting, dividing] = [Infinity, Infinity]
    for (let round = 0; round < ROUNDS; round++) {
      counting = Math.min(
        counting,
        cpuMs(() => bodies.forEach((body) => counter.count(body))),
      )
      dividing = Math.min(
        dividing,
        cpuMs(() => documents.forEach((document) => divided(document, counter, LIMIT))),
      )
    }
    const ratio = dividing / counting
    ratios[`${name}, ${counter.name}`] = Number(ratio.toFixed(2))
    console.log(
      `  ${counter.name.padEnd(23)} counting ${counting.toFixed(0)} ms, dividing ${dividing.toFixed(0)} ms: ${ratio.toFixed(2)} ×`,
    )
  }
  return ratios
}

/** Encodings of OpenAI, and files of the kinds of BERT and GPT-2; then a fast and two usual ones as if no more than their counts were known. */
async function counters(): Promise<readonly TokenCounter[]> {
  await using folder = await tempFolder()
  const { wordPiece, bytePairs } = await writeTokenizers(folder.path)
  const encodings = (['o200k_base', 'cl100k_base', 'r50k_base'] as const).map(async (name) => openEncoding(name))
  const [first, ...others] = await Promise.all(encodings)
  const files = [await openTokenizerFile(wordPiece), await openTokenizerFile(bytePairs)]
  if (first === undefined) return files
  const countsAlone = [first, ...files].map((counter) => ({ ...counter, name: `${counter.name}, counts`, words: null }))
  return [first, ...others, ...files, ...countsAlone]
}

async function ownDocumentation(): Promise<readonly Plain[]> {
  const root = resolve(import.meta.dirname, '../..')
  const docs = (await readdir(join(root, 'docs'), { recursive: true }))
    .filter((name) => name.endsWith('.md'))
    .map((name) => `docs/${name}`)
  const names = ['README.md', 'ARCHITECTURE.md', 'CONTRIBUTING.md', 'CHANGELOG.md', ...docs]
  return Promise.all(names.map(async (name) => plain(await readFile(join(root, name), 'utf8'))))
}
