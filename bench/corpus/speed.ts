import { readdir, readFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import type { ChunkedDocument, TokenCounter } from '#src/corpus/chunks/chunk.ts'
import { chunkDocument } from '#src/corpus/chunks/chunk-document.ts'
import { openEncoding } from '#src/corpus/tokens/encodings.ts'
import { Random } from '../../test/support/random.ts'
import { generatedReport } from './generated-report.ts'

const DOCUMENTS = 100
const LIMIT = 256
const ROUNDS = 5

/** Costs nothing: a token is a character. */
const free: TokenCounter = { name: 'characters', overhead: 0, isJoint: () => true, count: (text) => text.length }

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

/** CPU time of dividing documents, beside that of counting every body once with the same tokenizer: the best of some rounds in turn. */
export async function measureSpeed(seed: number): Promise<void> {
  const random = new Random(seed)
  const reports = Array.from({ length: DOCUMENTS }, (_, index) => plain(generatedReport(random, index).markdown))
  await compare('generated reports', reports)
  await compare('the documentation of Sluice', await ownDocumentation())
  let chunks = 0
  let best = Infinity
  for (let round = 0; round < ROUNDS; round++) {
    chunks = 0
    const divide = (): void => reports.forEach((report) => (chunks += divided(report, free, LIMIT * 4).length))
    best = Math.min(best, cpuMs(divide))
  }
  const rate = Math.round(chunks / (best / 1000)).toLocaleString('en')
  console.log(`without a cost of counting: ${rate} chunks a second of CPU`)
}

const divided = (document: Plain, counter: TokenCounter, limit: number): ChunkedDocument['chunks'] =>
  chunkDocument(document, { counter, limit, overlap: 0 }).chunks

async function compare(name: string, documents: readonly Plain[]): Promise<void> {
  const characters = documents.reduce((sum, { markdown }) => sum + markdown.length, 0)
  console.log(`${name}: ${(characters / 1e6).toFixed(1)} MB in ${documents.length} documents, limit ${LIMIT}`)
  for (const encoding of ['o200k_base', 'cl100k_base', 'r50k_base'] as const) {
    const counter = await openEncoding(encoding)
    const bodies = documents.flatMap((document) => divided(document, counter, LIMIT).map(({ body }) => body))
    const times = { counting: Infinity, dividing: Infinity }
    for (let round = 0; round < ROUNDS; round++) {
      times.counting = Math.min(
        times.counting,
        cpuMs(() => bodies.forEach((body) => counter.count(body))),
      )
      times.dividing = Math.min(
        times.dividing,
        cpuMs(() => documents.forEach((document) => divided(document, counter, LIMIT))),
      )
    }
    const { counting, dividing } = times
    const ratio = (dividing / counting).toFixed(2)
    console.log(
      `  ${encoding.padEnd(12)} counting ${counting.toFixed(0)} ms, dividing ${dividing.toFixed(0)} ms: ${ratio} ×`,
    )
  }
}

async function ownDocumentation(): Promise<readonly Plain[]> {
  const root = resolve(import.meta.dirname, '../..')
  const docs = (await readdir(join(root, 'docs'))).filter((name) => name.endsWith('.md')).map((name) => `docs/${name}`)
  const names = ['README.md', 'ARCHITECTURE.md', 'CONTRIBUTING.md', 'CHANGELOG.md', ...docs]
  return Promise.all(names.map(async (name) => plain(await readFile(join(root, name), 'utf8'))))
}
