import { assertNever } from '#src/kit/assert-never.ts'
import { ClaimLost } from '#src/document/claim-lost.ts'
import type { Failure } from '#src/document/failure.ts'
import { receiptId } from '#src/document/ids.ts'
import { RecordOfOther } from '#src/document/record-of-other.ts'
import type { Claim } from '#src/ports/ledger.ts'
import type { PieceCutter } from '#src/ports/piece-cutter.ts'
import type { Recipe } from '#src/client/recipe.ts'
import type { Delivery, JobVerdict } from '#src/ports/queue.ts'
import { DocumentChanged } from '#src/document/document-changed.ts'
import type { OpenedDocument } from '#src/ports/source.ts'
import { approachGate } from './document/approach-gate.ts'
import { buyAnswer } from './document/buy-answer.ts'
import { commitAnswer, settleRecorded } from './document/commit-answer.ts'
import type { IngestDeps, RoutedTiers, Run } from './document/deps.ts'
import { ingestLongPdf, longPdf } from './pages/ingest-long-pdf.ts'
import { ingestPieces } from './pages/ingest-pieces.ts'
import { answerOf, findKept, findRecorded, type Outcome, reusedAnswer } from './document/obtain-answer.ts'
import { openListed } from './document/read-once.ts'
import { endUnopened, endUnwanted, type HandledWork, readDocument } from './document/read-document.ts'
import { giveUp, retryChanged } from './document/give-up.ts'
import { passThrough } from './document/pass-through.ts'
import { cutterFor } from './document/preflight.ts'
import { later, postpone, retryOrGiveUp } from './document/purchase.ts'
import { claimedStores, postponeDuringOutage, retryFor } from './document/retrying-store.ts'
import { firstTierFor, tierFor } from './document/tiers.ts'
import type { ReadWork, Work } from './document/work.ts'
import { ingestRouted } from './pages/ingest-routed.ts'

const BUSY = postpone(2_000, 'another worker has this document')
/** Delay in milliseconds of a worker that lost its claim: another worker holds the document. */
const LOST_CLAIM_MS = 2_000

/**
 * Life of a document (ARCHITECTURE.md), from the delivery of its job to the record in the store. It has no knowledge of
 * BullMQ, HTTP or S3. Idempotent: a recorded document is not made again, and a bought answer is not bought again.
 */
export async function ingestDocument(delivery: Delivery, deps: IngestDeps, signal: AbortSignal): Promise<JobVerdict> {
  const { key } = delivery.job
  const approached = await approachGate(delivery, firstTierFor(key, deps.tiers), deps, signal)
  if ('kind' in approached) return approached
  using reading = approached
  const tier = tierFor(key, deps.tiers)
  const work = (): Promise<JobVerdict> =>
    whileClaimed(delivery, deps, (claim) => {
      const stores = claimedStores(deps.stores, claim, retryFor(key, deps, signal))
      return ingestClaimed({ ...delivery, claim, reading, tier }, { ...deps, stores }, signal)
    })
  const verdict = await postponeDuringOutage(key, work, deps, signal)
  report(verdict, delivery, deps.run)
  return verdict
}

/** Step 6, in addition to other reports: a postponed document. */
function report(verdict: JobVerdict, { job: { key } }: Delivery, { events }: Run): void {
  if (verdict.kind === 'postpone' && verdict !== BUSY) events.emit('document:postponed', { key, ...verdict })
}

async function whileClaimed(
  { job: { key, queuedAt } }: Delivery,
  { stores: { claims }, run: { clock, events } }: Pick<IngestDeps, 'stores' | 'run'>,
  work: (claim: Claim) => Promise<JobVerdict>,
): Promise<JobVerdict> {
  const claim = await claims.claim(key)
  if (claim === null) return BUSY
  try {
    return await work(claim)
  } catch (error) {
    // Another worker has the document, so this one leaves it alone.
    if (error instanceof ClaimLost) return postpone(LOST_CLAIM_MS, error.message)
    throw error
  } finally {
    events.emit('document:released', { key, sinceQueuedMs: Math.max(0, clock.shared() - queuedAt) })
    // A settled document's claim is released already, with the ledger write: this covers all other ends.
    await claim.release()
  }
}

async function ingestClaimed(
  delivered: Delivery & Pick<Work, 'claim' | 'reading' | 'tier'>,
  deps: IngestDeps,
  signal: AbortSignal,
): Promise<JobVerdict> {
  const { job, attempt } = delivered
  const { clock, events, answerMemory } = deps.run
  using hold = answerMemory.hold()
  const begun = { ...delivered, hold, startedAt: clock.wall(), begunMs: clock.monotonic(), version: job.version }
  events.emit('document:started', { key: job.key, attempt, queuedAt: job.queuedAt })
  const unwanted = await endUnwanted(begun, deps)
  if (unwanted !== null) return unwanted
  const opened = await openListed(deps.stores.source, job, signal)
  if ('message' in opened) return endUnopened(begun, opened, deps, signal)
  // Open until this function ends, because its bytes are still needed.
  await using document = opened
  const read = await readDocument({ ...begun, version: document.version }, document, deps, signal)
  if ('kind' in read) return read
  const way = chooseStrategy(read, document, deps)
  const outcome = (await findAnswer(way, deps, signal)) ?? (await obtainAnswer(way, deps, signal))
  return await commit(outcome, read, deps)
}

/** Origin of the answer: the text itself, its pages from engine and service, its pieces, or one request. */
type Strategy =
  | { readonly kind: 'passthrough'; readonly work: ReadWork }
  | { readonly kind: 'by-page'; readonly work: Work; readonly answers: Recipe; readonly routed: RoutedTiers }
  | { readonly kind: 'pieces'; readonly work: Work; readonly cutter: PieceCutter }
  | { readonly kind: 'whole'; readonly work: Work }

function chooseStrategy({ handling, ...read }: HandledWork, { address }: OpenedDocument, deps: IngestDeps): Strategy {
  if (handling.kind === 'passthrough') return { kind: 'passthrough', work: read }
  const work = { ...read, extension: handling.extension, address: address ?? null }
  const { answers } = handling.recipe
  const { routed } = deps.tiers
  if (answers !== undefined && routed !== null) return { kind: 'by-page', work, answers, routed }
  const cutter = cutterFor(work, deps.policy)
  return cutter === null ? { kind: 'whole', work } : { kind: 'pieces', work, cutter }
}

/** Step 2: finds the record or the receipt that replaces a request; null if there is none. */
async function findAnswer(
  { kind, work }: Strategy,
  { stores }: IngestDeps,
  signal: AbortSignal,
): Promise<Outcome | null> {
  // It searches separately, because it also checks its outputs.
  if (kind === 'passthrough') return null
  const kept = kind === 'whole' ? await findKept(work, stores, signal) : null
  // A document without its expected receipt has no record. Most are new, and skip this read.
  if (kind === 'whole' && kept === null && !work.recipe.options.zeroDataRetention) return null
  return (await findRecorded(work, stores)) ?? (kept === null ? null : { kind: 'kept', receipt: kept })
}

/** Steps 3 and 4, for each request of the document: credits and permit, the request, its receipt. */
async function obtainAnswer(way: Strategy, deps: IngestDeps, signal: AbortSignal): Promise<Outcome> {
  switch (way.kind) {
    case 'passthrough':
      return passThroughOrRetry(way.work, deps, signal)
    case 'by-page':
      return ingestRouted(way.work, way.answers, { main: deps.tiers.main, routed: way.routed }, deps, signal)
    case 'pieces':
      return ingestPieces(way.work, way.cutter, deps, signal)
    case 'whole':
      return buyWhole(way.work, deps, signal)
    default:
      return assertNever(way)
  }
}

/** Sends one request, or several if its pages would exceed the service's timeout. */
async function buyWhole(work: Work, deps: IngestDeps, signal: AbortSignal): Promise<Outcome> {
  const pages = work.address === null ? await work.tier.countPages(work.read, work.extension, signal) : null
  const long = longPdf(work, pages, deps.policy)
  if (long !== null) return (await findRecorded(work, deps.stores)) ?? ingestLongPdf(work, long, deps, signal)
  const id = receiptId(work.read.contentHash, work.recipe.hash)
  const purchase = await buyAnswer({ ...work, pages }, id, deps, signal)
  return purchase.kind === 'kept' ? purchase : answerOf(purchase, work, deps)
}

async function passThroughOrRetry(work: ReadWork, deps: IngestDeps, signal: AbortSignal): Promise<Outcome> {
  try {
    return await passThrough(work, deps, signal)
  } catch (error) {
    if (!(error instanceof DocumentChanged)) throw error
    return later(await retryChanged(work, deps))
  }
}

/** Step 5, or a retry, or the end. A failure uses an attempt, or was the last. */
async function commit(outcome: Outcome, work: ReadWork, deps: IngestDeps): Promise<JobVerdict> {
  try {
    return await actOn(outcome, work, deps)
  } catch (error) {
    if (!(error instanceof RecordOfOther)) throw error
    const failure: Failure = { code: 'taken_by_other_source', stage: 'commit', message: error.message }
    return giveUp(work, failure, deps, work.read)
  }
}

async function actOn(outcome: Outcome, work: ReadWork, deps: IngestDeps): Promise<JobVerdict> {
  switch (outcome.kind) {
    case 'recorded':
      return settleRecorded(work, outcome.record, deps)
    case 'kept':
      deps.run.events.emit('receipt:reused', { key: work.job.key })
      return commitAnswer(work, await reusedAnswer(outcome.receipt, work, deps), deps)
    case 'parsed':
      return commitAnswer(work, outcome.answer, deps)
    case 'incomplete':
      return retryOrGiveUp(outcome.failed, deps.run.random, () => commitAnswer(work, outcome.answer, deps))
    case 'later':
      return outcome.verdict
    case 'failed': {
      // The dead letter keeps the bought pieces.
      const known = { contentHash: work.read.contentHash, pieces: outcome.pieces }
      return retryOrGiveUp(outcome, deps.run.random, (failure) => giveUp(work, failure, deps, known))
    }
    default:
      return assertNever(outcome)
  }
}
