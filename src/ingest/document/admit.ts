import { StoreUnusable } from '#src/document/store-unusable.ts'
import type { Failure } from '#src/document/failure.ts'
import type { ReceiptId } from '#src/document/ids.ts'
import type { Reservation, Reserving } from '#src/document/spending.ts'
import type { NoPermit, Permit } from '#src/ports/gate.ts'
import type { Recipe } from '#src/client/recipe.ts'
import type { DocumentDeps, Run } from './deps.ts'
import { findReceipt } from './find-receipt.ts'
import { postpone } from './purchase.ts'
import { receiverOf } from './tiers.ts'
import { HALTED_MS, later, type Purchase } from './purchase.ts'
import type { Work } from './work.ts'

/** Delay of a copy while another worker buys the same bytes under another name, in milliseconds. */
const COPY_DELAY_MS = 1_000

/** Poll interval of a document while a probe may find the service open, in milliseconds. */
const PROBE_POLL_MS = 2_000

const AMBIGUOUS_FAILURE: Failure = {
  code: 'ambiguous',
  stage: 'parse',
  message:
    'a request for it was in flight when its process was killed and may have been charged; ' +
    '"sluice retry --code ambiguous" sends it again',
}

/** A request that may go out now: it has its credits, its permit and its intent. */
export interface Admitted {
  readonly kind: 'admitted'
  readonly permit: Permit
  readonly reservation: Reservation
  /** Number of pages of a PDF, if counted. */
  readonly pages: number | null
}

/** Outcome without a request. */
type NotSent = Extract<Purchase, { kind: 'later' | 'kept' | 'failed' }>

/** Poll interval of a document that waits for credits, or for their price, in milliseconds. */
const CREDITS_POLL_MS = 1_000

/**
 * Step 3: reserves credits, acquires a permit of the gate, and writes the intent. The intent comes last, right before
 * the request. After a kill, sent requests count as ambiguous, and waiting ones do not.
 */
export async function admit(
  work: Work,
  recipe: Recipe,
  id: ReceiptId,
  deps: DocumentDeps,
  signal: AbortSignal,
): Promise<Admitted | NotSent> {
  const { job, tier } = work
  const { key } = job
  const pages = await pagesOf(work, signal)
  const noSpace = await refuseWithoutSpace(deps)
  if (noSpace !== null) return noSpace
  const modelled = tier.price(recipe, work.extension, pages)
  deps.run.events.emit('request:waiting', { key })
  const credits = await tier.spending.reserve(recipe.hash, modelled)
  if (credits.kind !== 'reserved') return withoutCredits(credits, deps.run)
  const { reservation } = credits
  let instead: NotSent
  try {
    work.reading.onRead()
    const permit = await tier.gate.acquire({ key, ...work.again }, signal)
    if (permit.kind === 'permit') {
      work.reading.onPermit()
      const begun = await deps.run.requestPriority.runUrgent(
        writeIntentOrRelease(permit, pages, work, recipe, id, deps, signal),
      )
      if (begun === null) return { kind: 'admitted', permit, reservation, pages }
      instead = begun
    } else instead = withoutPermit(permit)
  } catch (error) {
    await tier.spending.conclude(reservation, 'unsent')
    throw error
  }
  await tier.spending.conclude(reservation, 'unsent')
  return instead
}

function pagesOf(
  { pages, address, tier, read, extension }: Work,
  signal: AbortSignal,
): Promise<number | null> | number | null {
  if (pages !== undefined) return pages
  return address === null ? tier.countPages(read, extension, signal) : null
}

/** Delay of a document while the store lacks space, in milliseconds. */
const SPACE_DELAY_MS = 5_000

/**
 * Null if the store has space for an answer. Otherwise the worker buys nothing, because a paid answer would wait in
 * memory.
 */
async function refuseWithoutSpace({ stores, run, policy }: DocumentDeps): Promise<NotSent | null> {
  try {
    await stores.maintenance.checkSpace()
    run.lowSpace.recordSuccess()
    return null
  } catch (error) {
    if (!(error instanceof StoreUnusable)) throw error
    run.events.emit('dependency:failed', { dependency: 'store', cause: error.message })
    const postponed = later(postpone(SPACE_DELAY_MS, error.message))
    if (run.lowSpace.recordFailure() <= policy.storePatienceMs) return postponed
    run.halt('store', error.message)
    return { ...postponed, halted: true }
  }
}

function withoutPermit(notNow: NoPermit): NotSent {
  if (notNow.kind === 'wait') return later(postpone(notNow.waitMs, notNow.reason))
  // Another process's answer shut the gate, maybe with a probe in flight. Only our own answer halts this run.
  return later(postpone(Math.min(notNow.retryInMs, PROBE_POLL_MS), notNow.message))
}

function withoutCredits(refused: Exclude<Reserving, { kind: 'reserved' }>, { halt }: Run): NotSent {
  if (refused.kind === 'wait') return later(postpone(CREDITS_POLL_MS, refused.reason))
  halt('budget', refused.message)
  return { ...later(postpone(HALTED_MS, refused.message)), halted: true }
}

/**
 * Releases the permit at once if no request follows. An unreleased permit is lost until its lease expires, about 13
 * minutes later.
 */
async function writeIntentOrRelease(
  permit: Permit,
  pages: number | null,
  work: Work,
  recipe: Recipe,
  id: ReceiptId,
  deps: DocumentDeps,
  signal: AbortSignal,
): Promise<NotSent | null> {
  let instead: NotSent | null
  try {
    instead = await withIntent(work, recipe, { id, pages }, deps, signal)
  } catch (error) {
    // The first error is the one to report.
    await permit.release({ kind: 'unsent' }).catch(() => undefined)
    throw error
  }
  if (instead !== null) await permit.release({ kind: 'unsent' })
  return instead
}

/** Null once the intent is written and the request may go out; otherwise the outcome without a request. */
async function withIntent(
  work: Work,
  recipe: Recipe,
  { id, pages }: { readonly id: ReceiptId; readonly pages: number | null },
  deps: DocumentDeps,
  signal: AbortSignal,
): Promise<NotSent | null> {
  const { tier } = work
  const { intents } = tier
  const { options, hash } = recipe
  const { key } = work.job
  const beginning = await intents.begin(id, key)
  const ambiguous = (): void => {
    const credits = tier.price(recipe, work.extension, pages)
    deps.run.events.emit('request:ambiguous', { key, credits, ...receiverOf(tier) })
  }
  if (beginning === 'held') ambiguous()
  if (beginning === 'held')
    return { kind: 'failed', failure: AMBIGUOUS_FAILURE, countsUntil: 'final', retryAfterMs: null }
  if (beginning === 'busy') {
    return later(postpone(COPY_DELAY_MS, 'the same bytes are being parsed under another name'))
  }
  try {
    // From here on no other worker can save this receipt, so its absence is now reliable.
    const receipt = options.zeroDataRetention
      ? null
      : await (work.findAnswer?.(signal) ??
          findReceipt(
            work.read.contentHash,
            hash,
            deps.stores.receipts,
            tier.parsers,
            { hold: work.hold, signal },
            work.address,
          ))
    if (receipt === null) {
      if (beginning === 'again') ambiguous()
      return null
    }
    await intents.clear(id)
    return { kind: 'kept', receipt }
  } catch (error) {
    await intents.clear(id).catch(() => undefined)
    throw error
  }
}
