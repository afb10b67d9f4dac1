import type { Recipe } from '#src/contract/recipe.ts'
import { receiptId } from '#src/document/ids.ts'
import { weakest } from '#src/document/parser.ts'
import { mostPagesIn } from '#src/contract/timeouts.ts'
import { pagesBelow } from '#src/route/choose-pages.ts'
import type { PieceDeps, Tiers } from '../deps.ts'
import { AT_ONCE } from '../process/approach-gate.ts'
import type { ReadingOrigin } from '../process/commit-answer.ts'
import { findReceipt } from '../process/find-receipt.ts'
import { marksPages } from '../process/stitch-answers.ts'
import type { Purchase } from '../process/purchase.ts'
import { sumOfCosts } from '../process/sum-of-costs.ts'
import { onLocalTier } from '../process/tiers.ts'
import type { Work } from '../process/work.ts'
import { boughtBefore } from './bought-before.ts'
import { type BoughtPart, buyPages, type PagesBought } from './buy-pages.ts'
import { mergePages } from './merge-pages.ts'
import { isPageable, outlookOf } from './page-outlook.ts'
import { parseWhole } from './parse-whole.ts'
import { type LocalAnswer, localOrigin, readLocally } from './read-locally.ts'
import type { RoutedOutcome } from './routed-outcome.ts'
import { problemsOf, routedPages } from './route-record.ts'

/**
 * Steps 2 to 4 for a document that is routed by page: the engine reads it, the pages that it read badly are bought in one
 * small PDF, and both become one answer. Each answer is a receipt of its own, found again after any crash: the engine's
 * under the document's hash, those of the service under that hash and their pages.
 */
export async function ingestRouted(
  work: Work,
  answers: Recipe,
  tiers: Tiers,
  deps: PieceDeps,
  signal: AbortSignal,
): Promise<RoutedOutcome> {
  const service = { ...deps.parsers, own: tiers.service, acceptLocal: false, routes: undefined }
  const paid: PieceDeps = { ...deps, parsers: service }
  const own = { ...work, recipe: answers }
  // The turn is one at the gate of the engine: requests to the service wait for their own.
  const forService = { ...own, turn: AT_ONCE }
  const keepsReceipt = !answers.options.zeroDataRetention
  const memory = { hold: work.hold, signal }
  const whole = keepsReceipt ? await findReceipt(work.read.contentHash, answers.hash, paid, memory) : null
  if (whole !== null) {
    await deps.intents.conclude(receiptId(work.read.contentHash, answers.hash), work.job.key)
    return { kind: 'kept', receipt: whole }
  }
  const local = await readLocally(own, onLocalTier(deps, tiers), signal)
  if (local.kind === 'later') return local
  if (local.kind === 'failed') {
    // What the engine refuses for good, a service may read; what another attempt may mend is not paid for.
    return local.countsUntil === 'final' ? parseWhole(forService, 'local-failed', tiers, paid, signal) : local
  }
  const pages = outlookOf(local.reading)
  const wanted = pages === null ? [] : pagesBelow(tiers.terms, pages)
  if (pages === null || !isPageable(own, local.reading)) {
    const isGood = pages === null ? local.reading.problems.length === 0 : wanted.length === 0
    return isGood
      ? { kind: 'parsed', origin: localOrigin(local, { ...tiers.terms, whole: 'good', pages: [] }) }
      : parseWhole(forService, 'below-floor', tiers, paid, signal, local)
  }
  const bought = await buyWanted(forService, wanted, pages.length, tiers, paid, signal)
  if (bought.kind === 'later') return bought
  const { reading, used } = mergePages(
    local.reading,
    bought.parts,
    { pageMarkers: marksPages(answers.canonical) },
    deps.clock.wall(),
  )
  const routes = routedPages(pages, wanted, used, bought)
  const route = { ...tiers.terms, whole: null, pages: routes }
  const origin = originOf(local, bought.parts, used.size < pages.length)
  const problems = [...reading.problems, ...problemsOf(routes, bought.failed)]
  const all: ReadingOrigin = { ...origin, reading: { ...reading, problems }, route }
  return bought.passing === null
    ? { kind: 'parsed', origin: all }
    : { kind: 'incomplete', origin: all, failed: bought.passing }
}

/** What was bought before counts for `buyPages` and not for `buyShare`: it is used, and never bought again. */
async function buyWanted(
  work: Work,
  wanted: readonly number[],
  counted: number,
  { terms, share, cutter }: Tiers,
  deps: PieceDeps,
  signal: AbortSignal,
): Promise<PagesBought | Extract<Purchase, { kind: 'later' }>> {
  const before = wanted.length === 0 ? [] : await boughtBefore(work, wanted, deps, signal)
  const have = new Set(before.flatMap(({ pages }) => pages))
  const most = terms.buyPages === null ? undefined : Math.max(0, terms.buyPages - have.size)
  const need = wanted.filter((page) => !have.has(page)).slice(0, most)
  const granted =
    terms.buyShare < 1 ? await share.grant({ counted, wanted: need.length, share: terms.buyShare }) : need.length
  const pages = need.slice(0, granted).toSorted((a, b) => a - b)
  if (pages.length === 0) {
    if (before.length > 0) await deps.intents.conclude(receiptId(work.read.contentHash, work.recipe.hash), work.job.key)
    return { kind: 'bought', parts: before, failed: new Map(), passing: null }
  }
  const bought = await buyPages(work, pages, { cutter, most: mostPagesIn(work.recipe.options) }, deps, signal)
  return bought.kind === 'later' ? bought : { ...bought, parts: [...before, ...bought.parts] }
}

/** Where the answer for the whole comes from; `hasLocal`: some of its pages are the engine's. */
function originOf(local: LocalAnswer, parts: readonly BoughtPart[], hasLocal: boolean): Omit<ReadingOrigin, 'reading'> {
  if (parts.length === 0) return localOrigin(local)
  const parsers = [...(hasLocal ? [local.parser] : []), ...parts.map(({ parser }) => parser)]
  return {
    receipt: null,
    pieces: [
      ...local.pieces,
      ...parts.map(({ pages, receipt }) => ({
        firstPage: pages[0] ?? 1,
        lastPage: pages.at(-1) ?? 1,
        receipt,
        pages,
      })),
    ],
    parser: weakest(parsers) ?? local.parser,
    requestId: parts[0]?.requestId ?? local.requestId,
    cost: sumOfCosts(parts.map(({ cost }) => cost)),
  }
}
