import type { Recipe } from '#src/contract/recipe.ts'
import { receiptId } from '#src/document/ids.ts'
import { weakest } from '#src/document/parser.ts'
import { pagesBelow } from '#src/route/choose-pages.ts'
import { termsFor } from '#src/route/route-terms.ts'
import type { PieceDeps, Tiers } from '../deps.ts'
import { AT_ONCE } from '../process/approach-gate.ts'
import type { ReadingOrigin } from '../process/commit-answer.ts'
import { findReceipt } from '../process/find-receipt.ts'
import { marksPages } from '../process/stitch-answers.ts'
import { sumOfCosts } from '../process/sum-of-costs.ts'
import { onLocalTier } from '../process/tiers.ts'
import type { Work } from '../process/work.ts'
import { buyInOrder } from './buy-in-order.ts'
import type { BoughtPart } from './buy-pages.ts'
import { mergePages } from './merge-pages.ts'
import { isPageable, outlookOf } from './page-outlook.ts'
import { parseWhole } from './parse-whole.ts'
import { type LocalAnswer, localOrigin, readLocally } from './read-locally.ts'
import type { RoutedOutcome } from './routed-outcome.ts'
import { problemsOf, routedPages } from './route-record.ts'
import { serviceSteps } from './service-steps.ts'

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
  const steps = serviceSteps(work.job.key, answers, tiers, deps)
  const terms = termsFor(tiers.terms, tiers.servicesOf(work.job.key).names)
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
    return local.countsUntil === 'final'
      ? parseWhole(forService, { reason: 'local-failed', terms }, steps, signal)
      : local
  }
  const pages = outlookOf(local.reading)
  const wanted = pages === null ? [] : pagesBelow(terms, pages)
  if (pages === null || !isPageable(own, local.reading)) {
    const isGood = pages === null ? local.reading.problems.length === 0 : wanted.length === 0
    return isGood
      ? { kind: 'parsed', origin: localOrigin(local, { ...terms, whole: 'good', pages: [] }) }
      : parseWhole(forService, { reason: 'below-floor', terms, local }, steps, signal)
  }
  const bought = await buyInOrder(forService, { pages: wanted, counted: pages.length }, steps, tiers, signal)
  if (bought.kind === 'later') return bought
  const { reading, used, from } = mergePages(
    local.reading,
    bought.parts,
    { pageMarkers: marksPages(answers.canonical) },
    deps.clock.wall(),
  )
  const routes = routedPages(pages, wanted, from, bought)
  const route = { ...terms, whole: null, pages: routes }
  const origin = originOf(local, bought.parts, used.size < pages.length)
  const problems = [...reading.problems, ...problemsOf(routes, bought.failed)]
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
