import { openEncoding } from '#src/corpus/tokens/encodings.ts'
import { Random } from '../../test/support/random.ts'
import { Bm25 } from './bm25.ts'
import { type Contestant, contestants } from './contestants.ts'
import { type Fact, generatedReport, type Report } from './generated-report.ts'

const DOCUMENTS = 80
const FACTS = 1000

export interface Score {
  readonly splitter: string
  readonly limit: number
  readonly chunks: number
  readonly over: number
  readonly whole: number
  readonly recall: number
}

/**
 * Facts drawn by seed from generated reports, without a model. Whole: the row with its column's header, or the sentence, is
 * in one chunk together with its heading. Recall: a chunk with the whole fact is among the first five that BM25 finds.
 */
export async function measureRetrieval(seed: number, limits: readonly number[]): Promise<readonly Score[]> {
  const scores: Score[] = []
  const random = new Random(seed)
  const reports = Array.from({ length: DOCUMENTS }, (_, document) => generatedReport(random, document))
  const all = reports.flatMap(({ facts }) => facts)
  const facts = Array.from({ length: FACTS }, () => random.pick(all))
  const counter = await openEncoding('cl100k_base')
  const splitters = await contestants(counter)
  console.log(`seed ${seed}: ${FACTS} facts of ${all.length} in ${DOCUMENTS} reports, cl100k_base\n`)
  console.log('limit  chunks  over   tokens  whole  cells  sentences  recall@5')
  for (const limit of limits) {
    for (const contestant of splitters) {
      const { chunks, owners } = await splitAll(contestant, reports, limit)
      const counts = chunks.map((text) => counter.count(text))
      const over = counts.filter((count) => count > limit).length
      const mean = counts.reduce((sum, count) => sum + count, 0) / counts.length
      const index = new Bm25(chunks)
      const byDocument = Map.groupBy(chunks.keys(), (at) => owners[at] ?? -1)
      const isWhole = (fact: Fact): boolean =>
        (byDocument.get(fact.document) ?? []).some((at) => holds(chunks[at] ?? '', fact))
      const isFound = (fact: Fact): boolean =>
        index.best(fact.question, 5).some((at) => owners[at] === fact.document && holds(chunks[at] ?? '', fact))
      const cells = facts.filter(({ kind }) => kind === 'cell')
      const sentences = facts.filter(({ kind }) => kind === 'sentence')
      const [whole, recall] = [share(facts, isWhole), share(facts, isFound)]
      scores.push({ splitter: contestant.name, limit, chunks: chunks.length, over, whole, recall })
      const row = [
        limit,
        chunks.length,
        over,
        Math.round(mean),
        ...[whole, share(cells, isWhole), share(sentences, isWhole), recall].map((value) => `${value.toFixed(1)}%`),
      ]
      console.log(`${row.map((value) => String(value).padStart(6)).join(' ')}  ${contestant.name}`)
    }
  }
  return scores
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
function holds(chunk: string, { answer, heading, column }: Fact): boolean {
  const text = plain(chunk)
  return (
    text.includes(plain(answer)) && text.includes(plain(heading)) && (column === null || text.includes(`| ${column} |`))
  )
}

const plain = (text: string): string => text.replaceAll(/\s+/g, ' ')

const share = (facts: readonly Fact[], is: (fact: Fact) => boolean): number =>
  Number(((100 * facts.filter(is).length) / facts.length).toFixed(1))
