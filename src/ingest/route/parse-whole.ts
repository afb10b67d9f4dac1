import { readAnswer } from '#src/contract/read-answer.ts'
import { assertNever } from '#src/document/assert-never.ts'
import { receiptId } from '#src/document/ids.ts'
import type { RouteTerms } from '#src/document/route.ts'
import type { PieceDeps } from '../process/deps.ts'
import { buyAnswer } from '../process/buy-answer.ts'
import { costOf } from '../process/commit-answer.ts'
import { ingestPieces } from '../process/ingest-pieces.ts'
import { cutterFor } from '../process/preflight.ts'
import type { Work } from '../process/work.ts'
import type { RoutedOutcome } from './routed-outcome.ts'
import { type LocalAnswer, localOrigin } from './read-locally.ts'
import type { ServiceStep } from './service-step.ts'

interface Whole {
  readonly reason: 'local-failed' | 'below-floor'
  readonly terms: RouteTerms
  /** The engine's answer, where there is one. */
  readonly local?: LocalAnswer
}

/**
 * Buys the answer for a document as a whole: the engine could not read it, or what it is asked for belongs to no single
 * page. Where the service fails too, the engine's answer stays, if there is one, and says so.
 */
export async function parseWhole(
  work: Work,
  whole: Whole,
  { deps }: ServiceStep,
  signal: AbortSignal,
): Promise<RoutedOutcome> {
  return withLocal(await buyWhole(work, whole, deps, signal), whole)
}

async function buyWhole(
  work: Work,
  { reason, terms }: Whole,
  deps: PieceDeps,
  signal: AbortSignal,
): Promise<RoutedOutcome> {
  const route = { ...terms, whole: reason, pages: [] }
  const cutter = cutterFor(work, deps)
  if (cutter !== null) {
    const outcome = await ingestPieces(work, cutter, deps, signal)
    return outcome.kind === 'parsed' ? { kind: 'parsed', origin: { ...outcome, receipt: null, route } } : outcome
  }
  const { contentHash } = work.read
  const purchase = await buyAnswer(work, receiptId(contentHash, work.recipe.hash), deps, signal)
  switch (purchase.kind) {
    case 'bought': {
      const { answer, parser } = purchase
      const reading = readAnswer(answer.body, deps.clock.wall(), answer.json)
      const keepsReceipt = !work.recipe.options.zeroDataRetention
      const receipt = keepsReceipt ? receiptId(contentHash, work.recipe.hash, parser.class) : null
      const cost = costOf(work, false, reading, deps)
      return { kind: 'parsed', origin: { reading, receipt, parser, requestId: answer.requestId, cost, route } }
    }
    case 'kept':
      return { kind: 'kept', receipt: purchase.receipt }
    case 'later':
    case 'failed':
      return purchase
    default:
      return assertNever(purchase)
  }
}

function withLocal(outcome: RoutedOutcome, { local, terms }: Whole): RoutedOutcome {
  if (outcome.kind !== 'failed' || local === undefined) return outcome
  const origin = localOrigin(local, { ...terms, whole: 'service-failed', pages: [] })
  const problem = `it could not be bought and kept the engine's reading: ${outcome.failure.message}`
  const reading = { ...origin.reading, problems: [...origin.reading.problems, problem] }
  return { kind: 'incomplete', origin: { ...origin, reading }, failed: outcome }
}
