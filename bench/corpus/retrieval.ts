import type { TokenCounter } from '#src/corpus/chunks/chunk.ts'
import { openEncoding } from '#src/corpus/tokens/open-counter.ts'
import { Random } from '../../test/support/random.ts'
import { Bm25 } from './bm25.ts'
import { type Contestant, contestants } from './contestants.ts'
import { type Fact, FACT_KINDS, type FactKind, generatedReport, type Report } from './generated-report.ts'

const DOCUMENTS = 100
const FACTS = 1000

export interface Score {
  readonly splitter: string
  readonly limit: number
  readonly chunks: number
  /** Chunks over the limit: what is behind it is cut off, as an embedding model does. */
  readonly over: number
  readonly whole: number
  readonly recall: number
  /** Share of whole facts by kind. */
  readonly kinds: Readonly<Record<FactKind, number>>
}

/**
 * Facts drawn by seed from generated reports, as many of each kind, without a model. Whole: the row, the sentence or the item is in
 * one chunk with its heading and column, caption or outer items. Recall: such a chunk is among the first five that BM25 finds.
 */
export async function measureRetrieval(seed: number, limits: readonly number[]): Promise<readonly Score[]> {
  const scores: Score[] = []
  const random = new Random(seed)
  const reports = Array.from({ length: DOCUMENTS }, (_, document) => generatedReport(random, document))
  const all = Map.groupBy(
    reports.flatMap(({ facts }) => facts),
    ({ kind }) => kind,
  )
  const facts = Array.from({ length: FACTS }, (_, index) =>
    random.pick(all.get(FACT_KINDS[index % FACT_KINDS.length] as FactKind) ?? []),
  )
  const counter = await openEncoding('cl100k_base')
  const splitters = await contestants(counter)
  console.log(`seed ${seed}: ${FACTS} facts in ${DOCUMENTS} reports, cl100k_base\n`)
  console.log(`limit  chunks  over  tokens  whole  recall@5  ${FACT_KINDS.join('  ')}`)
  for (const limit of limits) {
    for (const contestant of splitters) {
      const { chunks, owners } = await splitAll(contestant, reports, limit)
      const counts = chunks.map((text) => counter.count(text))
      const over = counts.filter((count) => count > limit).length
      const mean = counts.reduce((sum, count) => sum + count, 0) / counts.length
      const seen = chunks.map((text, at) => ((counts[at] ?? 0) > limit ? cutTo(text, limit, counter) : text))
      const index = new Bm25(seen)
      const byDocument = Map.groupBy(seen.keys(), (at) => owners[at] ?? -1)
      const isWhole = (fact: Fact): boolean =>
        (byDocument.get(fact.document) ?? []).some((at) => holds(seen[at] ?? '', fact))
      const isFound = (fact: Fact): boolean =>
        index.best(fact.question, 5).some((at) => owners[at] === fact.document && holds(seen[at] ?? '', fact))
      const ofKind = (kind: FactKind): number =>
        share(
          facts.filter((fact) => fact.kind === kind),
          isWhole,
        )
      const kinds = Object.fromEntries(FACT_KINDS.map((kind) => [kind, ofKind(kind)])) as Score['kinds']
      const [whole, recall] = [share(facts, isWhole), share(facts, isFound)]
      scores.push({ splitter: contestant.name, limit, chunks: chunks.length, over, whole, recall, kinds })
      const shares = [whole, recall, ...Object.values(kinds)].map((value) => `${value.toFixed(1)}%`)
      const row = [limit, chunks.length, over, Math.round(mean), ...shares]
      console.log(`${row.map((value) => String(value).padStart(6)).join(' ')}  ${contestant.name}`)
    }
  }
  return scores
}

/** The longest beginning within the limit. */
function cutTo(text: string, limit: number, counter: TokenCounter): string {
  let [low, high] = [0, text.length]
  while (low < high) {
    const middle = Math.ceil((low + high) / 2)
    if (counter.count(text.slice(0, middle)) <= limit) low = middle
    else high = middle - 1
  }
  return text.slice(0, low)
}

async function splitAll(
  { split }: Contestant,
  reports: readonly Report[],
  limit: number,
): Promise<{ chunks: string[]; owners: number[] }> {
  const chunks: string[] = []
  const owners: number[] = []
  for (const [document, { markdown }] of reports.entries()) {
    for (const text of await split(markdown, limit)) {
      chunks.push(text)
      owners.push(document)
    }
  }
  return { chunks, owners }
}

/** White space apart: splitters are free in it. */
function holds(chunk: string, { needs }: Fact): boolean {
  const text = plain(chunk)
  return needs.every((need) => text.includes(plain(need)))
}

const plain = (text: string): string => text.replaceAll(/\s+/g, ' ')

const share = (facts: readonly Fact[], is: (fact: Fact) => boolean): number =>
  Number(((100 * facts.filter(is).length) / facts.length).toFixed(1))
