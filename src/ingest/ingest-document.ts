import { assertNever } from '#src/document/assert-never.ts'
import { ClaimLost } from '#src/document/claim-lost.ts'
import type { Failure } from '#src/document/failure.ts'
import { textExtensionOf } from '#src/document/formats.ts'
import { receiptId, type SourceKey } from '#src/document/ids.ts'
import type { Recipe } from '#src/contract/recipe.ts'
import { policyFor } from '#src/document/parser.ts'
import { RecordOfOther } from '#src/document/record-of-other.ts'
import type { PieceRecord } from '#src/document/record.ts'
import type { Claim } from '#src/ports/ledger.ts'
import { type Delivery, type JobVerdict } from '#src/ports/queue.ts'
import { DocumentChanged } from '#src/document/document-changed.ts'
import { type OpenedDocument } from '#src/ports/source.ts'
import { approachGate } from './process/approach-gate.ts'
import { type Burial, bury } from './process/bury.ts'
import { buyAnswer } from './process/buy-answer.ts'
import { commitAnswer, commitReading, settleRecorded } from './process/commit-answer.ts'
import type { CommitDeps, Halting, IngestDeps, Recipes, SettleDeps, Tiers } from './process/deps.ts'
import { type FoundReceipt, findReceipt } from './process/find-receipt.ts'
import { handlingOf } from './process/handling.ts'
import { ingestLongPdf, type LongPdf, longPdf } from './process/ingest-long-pdf.ts'
import { ingestPieces } from './process/ingest-pieces.ts'
import { leaveOut } from './process/skip-file.ts'
import { findRecorded } from './process/find-recorded.ts'
import { passThrough } from './process/pass-through.ts'
import { cutterFor, refuseByContent, refuseByListing } from './process/preflight.ts'
import type { Purchase } from './process/purchase.ts'
import { type ReadDocument, readOnce } from './process/read-once.ts'
import { openListed } from './process/open-listed.ts'
import { isLate } from './process/is-late.ts'
import type { Handback } from './process/source-view.ts'
import { postponeDuringOutage } from './process/postpone-during-outage.ts'
import { fencedStore, retryingStore } from './process/retrying-store.ts'
import { ingestRouted } from './route/ingest-routed.ts'
import { onFirstTier, onLocalTier, onNamedService } from './process/tiers.ts'
import type { Work } from './process/work.ts'
import { FINISH, postpone, retryOrGiveUp } from './process/job-verdicts.ts'

const BUSY = postpone(2_000, 'another worker has this document')
/** How long a worker that lost its claim leaves the document to the worker that has it now. */
const LOST_CLAIM_MS = 2_000

/**
 * Life of a document (ARCHITECTURE.md), from the delivery of its job to the record in the store. Knows nothing
 * of BullMQ, HTTP or S3. Doing it twice is harmless: what is recorded is not done again, what was bought is not bought
 * again.
 */
export async function ingestDocument(delivery: Delivery, deps: IngestDeps, signal: AbortSignal): Promise<JobVerdict> {
  const routed = depsFor(delivery.job.key, deps)
  const approached = await approachGate(delivery, onFirstTier(delivery.job.key, routed), signal)
  if (approached.kind !== 'turn') return approached
  await using turn = approached
  const { key } = delivery.job
  const work = async (): Promise<JobVerdict> => {
    const claim = await deps.claims.claim(key)
    if (claim === null) return BUSY
    try {
      const store = retryingStore(fencedStore(routed.store, claim), key, routed, signal)
      return await unlessClaimLost(ingestClaimed({ ...delivery, turn }, claim, { ...routed, store }, signal))
    } finally {
      const waitedMs = deps.clock.shared() - delivery.job.queuedAt
      deps.events.emit('document:released', { key, sinceQueuedMs: Math.max(0, waitedMs) })
      await claim.release()
    }
  }
  const verdict = await postponeDuringOutage(key, work, deps, signal)
  if (verdict.kind === 'postpone' && verdict !== BUSY) deps.events.emit('document:postponed', { key, ...verdict })
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

/** With the parser that the document's route names; of one that is routed by page, the service's. */
function depsFor(key: SourceKey, deps: IngestDeps): IngestDeps {
  const { tiers } = deps
  const forKey = { ...deps, parsers: policyFor(deps.parsers, key) }
  if (tiers === undefined) return forKey
  return tiers.routeOf(key) === 'local' ? onLocalTier(forKey, tiers) : onNamedService(forKey, tiers, key)
}

async function ingestClaimed(
  delivery: Delivery & Pick<Work, 'turn'>,
  claim: Claim,
  deps: IngestDeps,
  signal: AbortSignal,
): Promise<JobVerdict> {
  const { job, attempt } = delivery
  using hold = deps.answerMemory.hold()
  const startedAt = deps.clock.wall()
  const begunMs = deps.clock.monotonic()
  deps.events.emit('document:started', { key: job.key, attempt, queuedAt: job.queuedAt })
  // Before it is opened: a source that cannot be read must not keep it for ever.
  const late = { ...delivery, begunMs, version: job.version }
  if (isLate(job, deps)) return giveUp(late, pastDeadline(deps.deadlineMs), deps)
  const handling = handlingOf(job.key, deps)
  const excluded = deps.view.obeysRules ? (deps.source.skips?.(job.key) ?? null) : null
  if (excluded !== null) return leaveOut(job, { reason: excluded, version: null }, deps)
  const isText = handling === null && textExtensionOf(job.key) !== null
  if (isText) return leaveOut(job, { reason: 'unsupported', version: job.version }, deps)
  const opened = await openListed(deps.source, job, signal)
  const work = { ...delivery, claim, startedAt, begunMs, version: 'message' in opened ? job.version : opened.version }
  if ('message' in opened) return unopened(work, opened, deps, signal)
  await using document = opened
  const other = await deps.view.opened(job, document.version, deps, signal)
  if (other !== null) return handBack(other, deps)
  const refusal = refuseByListing(handling, document.bytes, deps.cutter)
  if (refusal !== null || handling === null) return giveUp(work, refusal ?? unsupported, deps)

  const read = await readUnchanged(document, signal)
  const again = (): Promise<JobVerdict> =>
    retryOrGiveUp(attempt, changing, deps, (failure) => giveUp(work, failure, deps))
  if (read === null) return again()
  const { address } = document
  const contradiction = address === undefined ? refuseByContent(job.key, read.head) : null
  if (contradiction !== null) return giveUp(work, contradiction, deps, read)

  // Awaited here: the document is closed when this function ends, and its bytes are still to be sent.
  const whole = { ...work, read, recipe: handling.recipe, hold }
  try {
    if (handling.kind === 'passthrough') return await passThrough(whole, deps, signal)
    const { extension } = handling
    return await turnIntoOutputs({ ...whole, extension, address: address ?? null }, deps, signal)
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
  const unseen = await deps.view.missed(work.job, deps, signal)
  switch (unseen.kind) {
    case 'vanished':
      return giveUp(work, failure, deps)
    case 'drop':
      return FINISH
    case 'again':
      return handBack(unseen, deps)
    default:
      return assertNever(unseen)
  }
}

function handBack({ afterMs, halt }: Handback, deps: Halting): JobVerdict {
  if (halt !== null) deps.halt('source', halt)
  return postpone(afterMs, 'the source of this process does not show the document as the queue names it')
}

/** Steps 2 to 5: from the bytes to the record, by a receipt that is there or by a request. */
async function turnIntoOutputs(work: Work, deps: IngestDeps, signal: AbortSignal): Promise<JobVerdict> {
  const { answers, hash } = work.recipe
  if (answers !== undefined && deps.tiers !== undefined) return route(work, answers, deps.tiers, deps, signal)
  const cutter = cutterFor(work, deps)
  const id = receiptId(work.read.contentHash, hash)
  const keepsReceipt = !work.recipe.options.zeroDataRetention
  const memory = { hold: work.hold, signal }
  const isKept = keepsReceipt && cutter === null
  const kept = isKept ? await findReceipt(work.read.contentHash, hash, deps, memory, work.address) : null
  if (kept !== null) await deps.intents.conclude(id, work.job.key)
  // A document that should have a receipt and has none was not recorded: most are new, and skip this read.
  const recorded = kept === null && keepsReceipt && cutter === null ? null : await findRecorded(work, deps)
  if (recorded !== null) return settleRecorded(work, recorded, deps)
  if (cutter !== null) {
    const outcome = await ingestPieces(work, cutter, deps, signal)
    if (outcome.kind === 'parsed') return commitReading(work, { ...outcome, receipt: null }, deps)
    return putOff(outcome, work, deps)
  }
  if (kept !== null) return reuse(work, kept, deps)
  const pages = work.address === null ? await deps.countPages(work.read, work.extension, signal) : null
  const long = longPdf(work, pages, deps)
  if (long !== null) return parseLong(work, long, deps, signal)
  const purchase = await buyAnswer(work, id, { ...deps, countPages: async () => pages }, signal)
  switch (purchase.kind) {
    case 'bought': {
      await deps.requestPriority.yieldToUrgent()
      const { parser } = purchase
      const receipt = keepsReceipt ? receiptId(work.read.contentHash, hash, parser.class) : null
      return commitAnswer(work, { ...purchase.answer, receipt, parser, saved: false }, deps)
    }
    case 'kept':
      return reuse(work, purchase.receipt, deps)
    case 'later':
    case 'failed':
      return putOff(purchase, work, deps)
    default:
      return assertNever(purchase)
  }
}

async function parseLong(work: Work, long: LongPdf, deps: IngestDeps, signal: AbortSignal): Promise<JobVerdict> {
  const recorded = await findRecorded(work, deps)
  if (recorded !== null) return settleRecorded(work, recorded, deps)
  const outcome = await ingestLongPdf(work, long, deps, signal)
  if (outcome.kind === 'parsed') return commitReading(work, { ...outcome, receipt: null }, deps)
  return putOff(outcome, work, deps)
}

/** As `turnIntoOutputs`, for a document of which single pages may be bought. */
async function route(
  work: Work,
  answers: Recipe,
  tiers: Tiers,
  deps: IngestDeps,
  signal: AbortSignal,
): Promise<JobVerdict> {
  const recorded = await findRecorded(work, deps)
  if (recorded !== null) return settleRecorded(work, recorded, deps)
  const outcome = await ingestRouted(work, answers, tiers, deps, signal)
  switch (outcome.kind) {
    case 'kept':
      return reuse(work, outcome.receipt, deps)
    case 'parsed':
      return commitReading(work, outcome.origin, deps)
    case 'incomplete': {
      const { countsUntil, failure, retryAfterMs } = outcome.failed
      const commit = (): Promise<JobVerdict> => commitReading(work, outcome.origin, deps)
      return retryOrGiveUp(countsUntil, failure, deps, commit, retryAfterMs)
    }
    case 'later':
    case 'failed':
      return putOff(outcome, work, deps)
    default:
      return assertNever(outcome)
  }
}

/** Outputs from an answer that was paid for before. */
async function reuse(work: Work, { id, body, parser }: FoundReceipt, deps: CommitDeps): Promise<JobVerdict> {
  const { key } = work.job
  // Saved once more, so that `sluice gc` does not collect it as unused before the record refers to it.
  await deps.store.saveReceipt(id, body, parser)
  deps.events.emit('receipt:reused', { key })
  return commitAnswer(work, { body, receipt: id, parser, requestId: null, saved: true }, deps)
}

/** Later, or never: a failure uses an attempt, or was the last. What was bought of a document in pieces is kept for it. */
async function putOff(
  purchase: Extract<Purchase, { kind: 'later' | 'failed' }> & { readonly pieces?: readonly PieceRecord[] },
  work: Work,
  deps: IngestDeps,
): Promise<JobVerdict> {
  if (purchase.kind === 'later') return purchase.verdict
  const { countsUntil, failure, retryAfterMs, pieces } = purchase
  const end = (final: Failure): Promise<JobVerdict> => giveUp(work, final, deps, { ...work.read, pieces })
  return retryOrGiveUp(countsUntil, failure, deps, end, retryAfterMs)
}

async function giveUp(
  work: Pick<Work, 'job' | 'attempt' | 'version' | 'begunMs'>,
  failure: Failure,
  deps: SettleDeps & Recipes,
  known?: Pick<ReadDocument, 'contentHash'> & Pick<Burial, 'pieces'>,
): Promise<JobVerdict> {
  await bury(
    {
      key: work.job.key,
      version: work.version,
      // Of the present settings, as a success has it: those of the job may be an earlier run's.
      recipeHash: handlingOf(work.job.key, deps)?.recipe.hash ?? work.job.recipeHash,
      contentHash: known?.contentHash ?? null,
      pieces: known?.pieces,
      failure,
      attempts: work.attempt,
      durationMs: deps.clock.monotonic() - work.begunMs,
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
