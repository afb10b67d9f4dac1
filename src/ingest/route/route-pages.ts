import { receiptId } from '#src/document/ids.ts'
import { weakest } from '#src/document/parser.ts'
import type { PieceRecord } from '#src/document/record.ts'
import type { RouteTerms } from '#src/document/route.ts'
import type { PageOutlook } from '#src/route/choose-pages.ts'
import type { Tiers } from '../deps.ts'
import type { ReadingOrigin } from '../process/commit-answer.ts'
import { marksPages } from '../process/stitch-answers.ts'
import { sumOfCosts } from '../process/sum-of-costs.ts'
import type { Work } from '../process/work.ts'
import { buyInOrder } from './buy-in-order.ts'
import type { BoughtPart } from './buy-pages.ts'
import { mergePages } from './merge-pages.ts'
import { type LocalAnswer, localOrigin } from './read-locally.ts'
import { problemsOf, routedPages } from './route-record.ts'
import type { RoutedOutcome } from './routed-outcome.ts'
import type { ServiceStep } from './service-steps.ts'

interface ReadPages {
  readonly local: LocalAnswer
  readonly pages: readonly PageOutlook[]
  /** Below the floor, the worst first. */
  readonly wanted: readonly number[]
}

interface Routing {
  readonly steps: readonly ServiceStep[]
  readonly terms: RouteTerms
  readonly tiers: Tiers
}

/** Buys the pages of a PDF that came out badly, and makes one answer of all. */
export async function routePages(
  work: Work,
  { local, pages, wanted }: ReadPages,
  { steps, terms, tiers }: Routing,
  signal: AbortSignal,
): Promise<RoutedOutcome> {
  const { hash, canonical } = work.recipe
  const [step] = steps
  if (step === undefined) throw new Error('a document has no service')
  const bought = await buyInOrder(work, { pages: wanted, counted: pages.length }, steps, tiers, signal)
  if (bought.kind === 'later') return bought
  const isAllFound = !bought.hasSent && bought.parts.length > 0
  if (isAllFound) await step.deps.intents.conclude(receiptId(work.read.contentHash, hash), work.job.key)
  const { reading, used, from } = mergePages(
    local.reading,
    bought.parts,
    { pageMarkers: marksPages(canonical) },
    step.deps.clock.wall(),
  )
  const routes = routedPages(pages, wanted, from, bought)
  const route = { ...terms, whole: null, pages: routes }
  const origin = originOf(local, bought.parts, used.size < pages.length)
  const services = steps.map(({ name }) => name)
  const problems = [...reading.problems, ...problemsOf(routes, bought.failed, services)]
  const all: ReadingOrigin = { ...origin, reading: { ...reading, problems }, route }
  return bought.passing === null
    ? { kind: 'parsed', origin: all }
    : { kind: 'incomplete', origin: all, failed: bought.passing }
}

/** Where the answer for the whole comes from; `hasLocal`: some of its pages are the engine's. */
function originOf(local: LocalAnswer, parts: readonly BoughtPart[], hasLocal: boolean): Omit<ReadingOrigin, 'reading'> {
  if (parts.length === 0) return localOrigin(local)
  const parsers = [...(hasLocal ? [local.parser] : []), ...parts.map(({ parser }) => parser)]
  return {
    receipt: null,
    pieces: [...local.pieces, ...parts.map(pieceOf)],
    parser: weakest(parsers) ?? local.parser,
    requestId: parts[0]?.requestId ?? local.requestId,
    cost: sumOfCosts(parts.map(({ cost }) => cost)),
  }
}

const pieceOf = ({ pages, receipt }: BoughtPart): PieceRecord => ({
  firstPage: pages[0] ?? 1,
  lastPage: pages.at(-1) ?? 1,
  receipt,
  pages,
})
