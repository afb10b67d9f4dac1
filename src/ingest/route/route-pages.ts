import { mostPagesIn } from '#src/contract/timeouts.ts'
import { receiptId } from '#src/document/ids.ts'
import { weakest } from '#src/document/parser.ts'
import type { PieceRecord } from '#src/document/record.ts'
import type { PageOutlook } from '#src/route/choose-pages.ts'
import type { Tiers } from '../process/deps.ts'
import type { ReadingOrigin } from '../process/commit-answer.ts'
import { marksPages } from '../answers/stitch-answers.ts'
import type { Purchase } from '../process/purchase.ts'
import { sumOfCosts } from '../process/sum-of-costs.ts'
import type { Work } from '../process/work.ts'
import { boughtBefore } from './bought-before.ts'
import { type BoughtPart, buyPages, type PagesBought } from './buy-pages.ts'
import { mergePages } from '../answers/merge-pages.ts'
import { type LocalAnswer, localOrigin } from './read-locally.ts'
import { problemsOf, routedPages } from './route-record.ts'
import type { RoutedOutcome } from './routed-outcome.ts'
import type { ServiceStep } from './service-step.ts'

interface ReadPages {
  readonly local: LocalAnswer
  readonly pages: readonly PageOutlook[]
  /** Below the floor, the worst first. */
  readonly wanted: readonly number[]
}

interface Routing {
  readonly step: ServiceStep
  readonly tiers: Tiers
}

/** Buys the pages of a PDF that came out badly, and makes one answer of all. */
export async function routePages(
  work: Work,
  { local, pages, wanted }: ReadPages,
  { step, tiers }: Routing,
  signal: AbortSignal,
): Promise<RoutedOutcome> {
  const { hash, canonical } = work.recipe
  const before = await boughtBefore(work, wanted, step, signal)
  const have = new Set(before.flatMap((part) => part.pages))
  const missing = wanted.filter((page) => !have.has(page))
  const need = await granted(missing, { before: have.size, counted: pages.length }, tiers)
  const now = await buyMissing(work, need, step, tiers, signal)
  if (now.kind === 'later') return now
  const bought = { ...now, parts: [...before, ...now.parts] }
  if (need.length === 0 && before.length > 0)
    await step.deps.intents.conclude(receiptId(work.read.contentHash, hash), work.job.key)
  const { reading, used, from } = mergePages(
    local.reading,
    bought.parts,
    { pageMarkers: marksPages(canonical) },
    step.deps.clock.wall(),
  )
  const routes = routedPages(pages, wanted, from, bought)
  const route = { ...tiers.terms, whole: null, pages: routes }
  const origin = originOf(local, bought.parts, used.size < pages.length)
  const problems = [...reading.problems, ...problemsOf(routes, bought.failed)]
  const all: ReadingOrigin = { ...origin, reading: { ...reading, problems }, route }
  return bought.passing === null
    ? { kind: 'parsed', origin: all }
    : { kind: 'incomplete', origin: all, failed: bought.passing }
}

/**
 * What the limits of the document and of the pipeline leave of these pages, which come the worst first. Pages bought before count
 * for `buyPages` and not for `buyShare`: they are used, and never bought again.
 */
async function granted(
  missing: readonly number[],
  { before, counted }: { readonly before: number; readonly counted: number },
  { terms, share }: Tiers,
): Promise<readonly number[]> {
  const most = terms.buyPages === null ? undefined : Math.max(0, terms.buyPages - before)
  const need = missing.slice(0, most)
  if (terms.buyShare >= 1) return need
  return need.slice(0, await share.grant({ counted, wanted: need.length, share: terms.buyShare }))
}

async function buyMissing(
  work: Work,
  pages: readonly number[],
  step: ServiceStep,
  { cutter }: Tiers,
  signal: AbortSignal,
): Promise<PagesBought | Extract<Purchase, { kind: 'later' }>> {
  if (pages.length === 0) return { kind: 'bought', parts: [], failed: new Map(), passing: null }
  const inOrder = pages.toSorted((a, b) => a - b)
  return buyPages(work, inOrder, { cutter, most: mostPagesIn(work.recipe.options) }, step, signal)
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
