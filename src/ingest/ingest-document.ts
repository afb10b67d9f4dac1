import { assertNever } from '#src/kit/assert-never.ts'
import { ClaimLost } from '#src/document/claim-lost.ts'
import type { Failure } from '#src/document/failure.ts'
import { textExtensionOf } from '@sluice/contract'
import { receiptId } from '#src/document/ids.ts'
import { RecordOfOther } from '#src/document/record-of-other.ts'
import type { Claim } from '#src/ports/ledger.ts'
import type { Delivery, JobVerdict } from '#src/ports/queue.ts'
import { DocumentChanged } from '#src/document/document-changed.ts'
import type { OpenedDocument } from '#src/ports/source.ts'
import { approachGate } from './document/approach-gate.ts'
import { type Burial, bury } from './document/bury.ts'
import { buyAnswer } from './document/buy-answer.ts'
import { commitAnswer, settleRecorded } from './document/commit-answer.ts'
import type { DocumentDeps, IngestDeps, Run } from './document/deps.ts'
import { ingestLongPdf, longPdf } from './pages/ingest-long-pdf.ts'
import { ingestPieces } from './pages/ingest-pieces.ts'
import { answerOf, findKept, findRecorded, type Outcome, reusedAnswer } from './document/obtain-answer.ts'
import { openListed, type ReadDocument, readOnce } from './document/read-once.ts'
import { passThrough } from './document/pass-through.ts'
import { cutterFor, handlingOf, refuseByContent, refuseByListing } from './document/preflight.ts'
import { failed, FINISH, postpone, retryOrGiveUp } from './document/purchase.ts'
import { claimedStores, postponeDuringOutage, retryFor } from './document/retrying-store.ts'
import { leaveOut } from './document/skip-file.ts'
import type { Handback } from './document/source-view.ts'
import { firstTierFor, tierFor } from './document/tiers.ts'
import { isLate, type ReadWork, type Work } from './document/work.ts'
import { ingestRouted } from './pages/ingest-routed.ts'

const BUSY = postpone(2_000, 'another worker has this document')
/** How long a worker that lost its claim leaves the document to the worker that has it now. */
const LOST_CLAIM_MS = 2_000

/**
 * Life of a document (ARCHITECTURE.md), from the delivery of its job to the record in the store. Knows nothing
 * of BullMQ, HTTP or S3. Doing it twice is harmless: what is recorded is not done again, what was bought is not bought
 * again.
 */
export async function ingestDocument(delivery: Delivery, deps: IngestDeps, signal: AbortSignal): Promise<JobVerdict> {
  const approached = await approachGate(delivery, firstTierFor(delivery.job.key, deps.tiers), deps, signal)
  if ('kind' in approached) return approached
  using reading = approached
  const { key } = delivery.job
  const work = async (): Promise<JobVerdict> => {
    const claim = await deps.stores.claims.claim(key)
    if (claim === null) return BUSY
    try {
      const stores = claimedStores(deps.stores, claim, retryFor(key, deps, signal))
      const chosen = { ...delivery, reading, tier: tierFor(key, deps.tiers) }
      return await unlessClaimLost(ingestClaimed(chosen, claim, { ...deps, stores }, signal))
    } finally {
      const waitedMs = deps.run.clock.shared() - delivery.job.queuedAt
      deps.run.events.emit('document:released', { key, sinceQueuedMs: Math.max(0, waitedMs) })
      await claim.release()
    }
  }
  const verdict = await postponeDuringOutage(key, work, deps, signal)
  if (verdict.kind === 'postpone' && verdict !== BUSY) deps.run.events.emit('document:postponed', { key, ...verdict })
  return verdict
}

/** Another worker goes on with a document whose claim was lost: this one leaves it alone. */
async function unlessClaimLost(work: Promise<JobVerdict>): Promise<JobVerdict> {
  try {
    return await work
  } catch (error) {
    if (error instanceof ClaimLost) return postpone(LOST_CLAIM_MS, error.message)
    throw error
  }
}

async function ingestClaimed(
  delivery: Delivery & Pick<Work, 'reading' | 'tier'>,
  claim: Claim,
  deps: IngestDeps,
  signal: AbortSignal,
): Promise<JobVerdict> {
  const { job, attempt } = delivery
  using hold = deps.run.answerMemory.hold()
  const startedAt = deps.run.clock.wall()
  const begunMs = deps.run.clock.monotonic()
  deps.run.events.emit('document:started', { key: job.key, attempt, queuedAt: job.queuedAt })
  // Before it is opened: a source that cannot be read must not keep it for ever.
  const late = { ...delivery, begunMs, version: job.version }
  if (isLate(job, deps)) return giveUp(late, pastDeadline(deps.policy.deadlineMs), deps)
  const handling = handlingOf(job.key, deps.policy)
  const excluded = deps.run.view.obeysRules ? (deps.stores.source.skips?.(job.key) ?? null) : null
  if (excluded !== null) return leaveOut(job, { reason: excluded, version: null }, deps)
  const isText = handling === null && textExtensionOf(job.key) !== null
  if (isText) return leaveOut(job, { reason: 'unsupported', version: job.version }, deps)
  const opened = await openListed(deps.stores.source, job, signal)
  const work = { ...delivery, claim, startedAt, begunMs, version: 'message' in opened ? job.version : opened.version }
  if ('message' in opened) return unopened(work, opened, deps, signal)
  await using document = opened
  const other = await deps.run.view.opened(job, document.version, deps.stores, signal)
  if (other !== null) return handBack(other, deps.run)
  const refusal = refuseByListing(handling, document.bytes, deps.policy.cutter)
  if (refusal !== null || handling === null) return giveUp(work, refusal ?? unsupported, deps)

  const read = await readUnchanged(document, signal)
  const again = (): Promise<JobVerdict> =>
    retryOrGiveUp(failed(changing, attempt), deps.run.random, (failure) => giveUp(work, failure, deps))
  if (read === null) return again()
  const { address } = document
  const contradiction = address === undefined ? refuseByContent(job.key, read.head) : null
  if (contradiction !== null) return giveUp(work, contradiction, deps, read)

  // Awaited here: the document is closed when this function ends, and its bytes are still to be sent.
  const whole = { ...work, read, recipe: handling.recipe, hold }
  try {
    const outcome =
      handling.kind === 'passthrough'
        ? await passThrough(whole, deps, signal)
        : await obtain({ ...whole, extension: handling.extension, address: address ?? null }, deps, signal)
    return await actOn(outcome, whole, deps)
  } catch (error) {
    if (error instanceof DocumentChanged && handling.kind === 'passthrough') return again()
    if (!(error instanceof RecordOfOther)) throw error
    const failure: Failure = { code: 'taken_by_other_source', stage: 'commit', message: error.message }
    return giveUp(work, failure, deps, read)
  }
}

/** A failure of this document, or a mount of this process that shows something else. */
async function unopened(
  work: Parameters<typeof giveUp>[0],
  failure: Failure,
  deps: IngestDeps,
  signal: AbortSignal,
): Promise<JobVerdict> {
  if (failure.code !== 'vanished') return giveUp(work, failure, deps)
  const unseen = await deps.run.view.missed(work.job, deps.stores, signal)
  switch (unseen.kind) {
    case 'vanished':
      return giveUp(work, failure, deps)
    case 'drop':
      return FINISH
    case 'again':
      return handBack(unseen, deps.run)
    default:
      return assertNever(unseen)
  }
}

function handBack({ afterMs, halt }: Handback, run: Run): JobVerdict {
  if (halt !== null) run.halt('source', halt)
  return postpone(afterMs, 'the source of this process does not show the document as the queue names it')
}

/** Steps 2 to 4: the answer for these bytes, by a receipt that is there or by a request. */
async function obtain(work: Work, deps: IngestDeps, signal: AbortSignal): Promise<Outcome> {
  const { answers, options, hash } = work.recipe
  const { main, routed } = answers === undefined ? { main: null, routed: null } : deps.tiers
  const cutter = routed === null ? cutterFor(work, deps.policy) : null
  const isWhole = routed === null && cutter === null
  const kept = isWhole ? await findKept(work, deps.stores, signal) : null
  // A document that should have a receipt and has none was not recorded: most are new, and skip this read.
  const done = isWhole && kept === null && !options.zeroDataRetention ? null : await findRecorded(work, deps.stores)
  if (done !== null) return done
  if (answers !== undefined && routed !== null) return ingestRouted(work, answers, { main, routed }, deps, signal)
  if (cutter !== null) return ingestPieces(work, cutter, deps, signal)
  if (kept !== null) return { kind: 'kept', receipt: kept }
  const pages = work.address === null ? await work.tier.countPages(work.read, work.extension, signal) : null
  const long = longPdf(work, pages, deps.policy)
  if (long !== null) return (await findRecorded(work, deps.stores)) ?? ingestLongPdf(work, long, deps, signal)
  const id = receiptId(work.read.contentHash, hash)
  const purchase = await buyAnswer({ ...work, pages }, id, deps, signal)
  return purchase.kind === 'kept' ? purchase : answerOf(purchase, work, deps)
}

/** Step 5, or another try: later, or never. A failure uses an attempt, or was the last. */
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
      // The pieces that were bought are kept for it.
      const known = { contentHash: work.read.contentHash, pieces: outcome.pieces }
      return retryOrGiveUp(outcome, deps.run.random, (failure) => giveUp(work, failure, deps, known))
    }
    default:
      return assertNever(outcome)
  }
}

async function giveUp(
  work: Pick<Work, 'job' | 'attempt' | 'version' | 'begunMs'>,
  failure: Failure,
  deps: DocumentDeps,
  known?: Pick<ReadDocument, 'contentHash'> & Pick<Burial, 'pieces'>,
): Promise<JobVerdict> {
  await bury(
    {
      key: work.job.key,
      version: work.version,
      // Of the present settings, as a success has it: those of the job may be an earlier run's.
      recipeHash: handlingOf(work.job.key, deps.policy)?.recipe.hash ?? work.job.recipeHash,
      contentHash: known?.contentHash ?? null,
      pieces: known?.pieces,
      failure,
      attempts: work.attempt,
      durationMs: deps.run.clock.monotonic() - work.begunMs,
    },
    deps,
  )
  return FINISH
}

/** Null when the document changed under the reader: it is read again later, never mixed. */
async function readUnchanged(document: OpenedDocument, signal: AbortSignal): Promise<ReadDocument | null> {
  try {
    return await readOnce(document, signal)
  } catch (error) {
    if (error instanceof DocumentChanged) return null
    throw error
  }
}

/* Failures that need no parser: what the worker sees of a document by itself. */

const unsupported: Failure = {
  code: 'unsupported_type',
  stage: 'read',
  message: 'its name does not end in a supported extension',
}
const changing: Failure = {
  code: 'changing',
  stage: 'read',
  message: 'the file kept changing while it was read; run again when nothing writes to it',
}
const pastDeadline = (deadlineMs: number): Failure => ({
  code: 'deadline',
  stage: 'gate',
  message: `it waited for longer than the deadline of ${(deadlineMs / 3_600_000).toFixed(1)} hours`,
})
