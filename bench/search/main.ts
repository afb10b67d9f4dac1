import { spawnSync } from 'node:child_process'
import { statSync } from 'node:fs'
import { join } from 'node:path'
import type { ChunkedDocument } from '#src/corpus/chunks/chunk.ts'
import { chunkDocument } from '#src/corpus/chunks/chunk-document.ts'
import { SearchIndex } from '#src/corpus/search/search-index.ts'
import { searchStore, type SearchAnswer } from '#src/corpus/search/search-store.ts'
import { updateSearch } from '#src/corpus/search/update-search.ts'
import { openCounter } from '#src/corpus/tokens/open-counter.ts'
import { openFolderStore } from '#src/outputs/folder/folder-store.ts'
import type { OutputStore } from '#src/ports/output-store.ts'
import { outputs, recordOf } from '../../test/support/documents.ts'
import { Random } from '../../test/support/random.ts'
import { tempFolder } from '../../test/support/temp-folder.ts'
import { type Fact, generatedReport } from '../corpus/generated-report.ts'
import { generatedPages } from './generated-pages.ts'

/*
 * npm run bench -- search [documents] [seed]. Generated reports in a folder store: indexing, an update of 1 % of the documents, six
 * words of a document per question, facts by their question, ripgrep over the same files (where `rg` is installed). Times are processor time. The last line
 * is JSON.
 */

const QUESTIONS = 300
const FACTS = 1_000

/** Number of documents that are reports with facts; the others are prose. */
const REPORTS = 100

const [documents = '10000', seed = '1'] = process.argv.slice(2)
const total = Number(documents)
const random = new Random(Number(seed))
await using folder = await tempFolder()
const out = join(folder.path, 'store')
await using store = await openFolderStore({ path: out, journal: { bytes: 32 * 1024 * 1024, delayMs: 4 } })
const file = join(folder.path, 'index.sqlite')
const update = {
  openCounter: () => openCounter('o200k_base'),
  progress: () => undefined,
  signal: new AbortController().signal,
}

const pages = generatedPages(random)
const keyOf = (document: number): string => `${document % 100}/report-${document}.md`

async function commit(some: readonly number[], to: OutputStore): Promise<number> {
  let bytes = 0
  for (let at = 0; at < some.length; at += 64) {
    const batch = some.slice(at, at + 64).map(async (document) => {
      const { markdown, facts: found } = document < REPORTS ? generatedReport(random, document) : pages(document)
      bytes += Buffer.byteLength(markdown)
      texts.set(document, markdown)
      facts.set(document, found)
      if (texts.size > 2_000) texts.delete([...texts.keys()].find((key) => key >= REPORTS) ?? 0)
      const files = outputs({ 'document.md': markdown })
      await to.documents.commit(recordOf(keyOf(document), files), files)
    })
    await Promise.all(batch)
  }
  return bytes
}

const texts = new Map<number, string>()
const facts = new Map<number, readonly Fact[]>()
const textBytes = await commit([...Array(total).keys()], store)
console.log(`${total} documents, ${(textBytes / 1e6).toFixed(0)} MB of text`)

/** Processor time, user and system: the time on a machine that does nothing else. */
const timed = async <Result>(work: () => Promise<Result>): Promise<readonly [ms: number, result: Result]> => {
  const from = process.cpuUsage()
  const result = await work()
  const { user, system } = process.cpuUsage(from)
  return [(user + system) / 1000, result]
}

let index = new SearchIndex(file)
const [indexMs] = await timed(() => updateSearch(index, store, update))
console.log(`indexed in ${(indexMs / 1000).toFixed(1)} s`)
const [unchangedMs] = await timed(() => updateSearch(index, store, update))
const changed = Array.from({ length: total / 100 }, () => random.below(total))
await commit(changed, store)
const [changedMs] = await timed(() => updateSearch(index, store, update))
console.log(`nothing changed: ${unchangedMs.toFixed(0)} ms, 1 % changed: ${changedMs.toFixed(0)} ms`)
index[Symbol.dispose]()
const indexBytes = statSync(file).size
console.log(`index: ${(indexBytes / 1e6).toFixed(0)} MB, ${(indexBytes / textBytes).toFixed(2)} × text`)

const ask = (question: string): Promise<SearchAnswer> =>
  searchStore(index, store, question, { limit: 20, key: null, where: null, byDocument: false }, update)

const pageKeys = (): readonly number[] => [...texts.keys()].filter((key) => key >= REPORTS)

const sixWords = (): string => {
  const words = texts.get(random.pick(pageKeys()))?.match(/\p{L}{3,}/gu) ?? []
  return Array.from({ length: 6 }, () => random.pick(words)).join(' ')
}

const [coldMs] = await timed(async () => {
  index = new SearchIndex(file)
  return ask(sixWords())
})
const times: number[] = []
for (let number = 0; number < QUESTIONS; number++) times.push((await timed(() => ask(sixWords())))[0])
times.sort((one, other) => one - other)
const at = (share: number): number => Math.round(times[Math.floor(times.length * share)] ?? 0)
console.log(`first question ${coldMs.toFixed(0)} ms; p50 ${at(0.5)} ms, p95 ${at(0.95)} ms, most ${at(0.999)} ms`)

/** A fact counts if a chunk holds all that it needs; white space is free. */
const plain = (text: string): string => text.replaceAll(/\s+/g, ' ')
const counter = await update.openCounter()
const chunked = new Map<number, ChunkedDocument['chunks']>()
const chunksOf = (document: number): ChunkedDocument['chunks'] => {
  const whole = { markdown: texts.get(document) ?? '', blocks: [], pages: [] }
  return chunkDocument(whole, { counter, limit: 256, overlap: 0 }).chunks
}
const bodiesWith = (document: number, { needs }: Fact): readonly string[] => {
  const chunks = chunked.get(document) ?? chunksOf(document)
  chunked.set(document, chunks)
  return chunks.filter(({ text }) => needs.every((need) => plain(text).includes(plain(need)))).map(({ body }) => body)
}
let [asked, found] = [0, 0]
while (asked < FACTS) {
  const document = random.below(REPORTS)
  const fact = random.pick(facts.get(document) ?? [])
  const bodies = fact === undefined ? [] : bodiesWith(document, fact)
  if (fact === undefined || bodies.length === 0) continue
  asked += 1
  const { hits } = await ask(fact.question)
  if (hits.some((hit) => hit.document === keyOf(document) && bodies.includes(hit.body))) found += 1
}
console.log(`facts within the first 20 hits: ${found} of ${asked}`)

const grepTimes: number[] = []
for (let number = 0; number < 5; number++) {
  const words = sixWords()
    .split(' ')
    .flatMap((word) => ['-e', word])
  const from = performance.now()
  const { status } = spawnSync(
    'rg',
    ['--count', '--fixed-strings', '--ignore-case', ...words, join(out, 'documents')],
    { stdio: 'ignore' },
  )
  if (status !== null) grepTimes.push(Math.round(performance.now() - from))
}
console.log(grepTimes.length === 0 ? 'ripgrep is not installed' : `ripgrep, elapsed: ${grepTimes.join(', ')} ms`)
index[Symbol.dispose]()
const result = {
  documents: total,
  textBytes,
  indexBytes,
  indexMs,
  unchangedMs,
  changedMs,
  coldMs,
  p50: at(0.5),
  p95: at(0.95),
}
console.log(JSON.stringify({ ...result, facts: found / asked, grepTimes }))
