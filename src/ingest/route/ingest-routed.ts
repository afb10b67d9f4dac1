import type { Recipe } from '#src/contract/recipe.ts'
import { receiptId } from '#src/document/ids.ts'
import { pagesBelow } from '#src/route/choose-pages.ts'
import type { PieceDeps, Tiers } from '../process/deps.ts'
import { AT_ONCE } from '../process/approach-gate.ts'
import { findReceipt } from '../process/find-receipt.ts'
import { onLocalTier } from '../process/tiers.ts'
import type { Work } from '../process/work.ts'
import { isPageable, outlookOf } from './page-outlook.ts'
import { routePages } from './route-pages.ts'
import { parseWhole } from './parse-whole.ts'
import { localOrigin, readLocally } from './read-locally.ts'
import type { RoutedOutcome } from './routed-outcome.ts'
import { serviceStep } from './service-step.ts'

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
  const step = serviceStep(work.job.key, answers, tiers, deps)
  const { terms } = tiers
  const service = { ...deps.parsers, own: tiers.service, acceptLocal: false, routes: undefined }
  const paid: PieceDeps = { ...deps, parsers: service }
  const own = { ...work, recipe: answers }
  // The turn is one at the gate of the engine: requests to the service wait for their own.
  const forService = { ...own, turn: AT_ONCE }
  const keepsReceipt = !answers.options.zeroDataRetention
  const memory = { hold: work.hold, signal }
  const { contentHash } = work.read
  const whole = keepsReceipt ? await findReceipt(contentHash, answers.hash, paid, memory, work.address) : null
  if (whole !== null) {
    await deps.intents.conclude(receiptId(work.read.contentHash, answers.hash), work.job.key)
    return { kind: 'kept', receipt: whole }
  }
  const local = await readLocally(own, onLocalTier(deps, tiers), signal)
  if (local.kind === 'later') return local
  if (local.kind === 'failed') {
    // What the engine refuses for good, a service may read; what another attempt may mend is not paid for.
    return local.countsUntil === 'final'
      ? parseWhole(forService, { reason: 'local-failed', terms }, step, signal)
      : local
  }
  const pages = outlookOf(local.reading)
  const wanted = pages === null ? [] : pagesBelow(terms, pages)
  if (pages === null || !isPageable(own, local.reading)) {
    const isGood = pages === null ? local.reading.problems.length === 0 : wanted.length === 0
    return isGood
      ? { kind: 'parsed', origin: localOrigin(local, { ...terms, whole: 'good', pages: [] }) }
      : parseWhole(forService, { reason: 'below-floor', terms, local }, step, signal)
  }
  return routePages(forService, { local, pages, wanted }, { step, tiers }, signal)
}
