import { remedied } from '#src/client/remedies.ts'
import { mostTries } from '#src/client/service-codes.ts'
import { assertNever } from '#src/kit/assert-never.ts'
import { MAX_ATTEMPTS } from '#src/kit/backoff.ts'
import type { Failure } from '#src/document/failure.ts'
import { type ReceiptId, receiptId } from '#src/document/ids.ts'
import type { ParserFacts } from '#src/document/parser.ts'
import type { Cost } from '#src/document/record.ts'
import type { Remedy, Usage, Verdict } from '#src/document/verdict.ts'
import type { Released } from '#src/ports/gate.ts'
import type { Recipe } from '#src/client/recipe.ts'
import { admit } from './admit.ts'
import type { DocumentDeps, Run, Tier } from './deps.ts'
import { chargedCredits } from './costs.ts'
import { type RuledVerdict, ruledVerdict } from './ruled-verdict.ts'
import { postpone, HALTED_MS, later, type Purchase } from './purchase.ts'
import { saveAnswer } from './save-answer.ts'
import { sendRequest } from './send-request.ts'
import { receiverOf, refuseToSend } from './tiers.ts'
import { MAX_PAUSE_MS } from './service-memory.ts'
import type { Work } from './work.ts'

/** Minimum delay in milliseconds after a refusal without a time from the service or the gate. */
const REFUSED_MS = 1_000

/** Maximum number of purchases of a site's error page in a run. */
const MAX_ERROR_PAGES = 2

/**
 * Steps 3 and 4: passes the gate, sends one request, and saves its answer in the store before any other use. It clears
 * the intent only if nothing was bought or the receipt is safe. After a kill or an error between the two, the intent
 * stays and marks the request as ambiguous.
 */
export async function buyAnswer(work: Work, id: ReceiptId, deps: DocumentDeps, signal: AbortSignal): Promise<Purchase> {
  const paused = pauseOfSite(work, deps.run)
  if (paused !== null) return paused
  const recipe = { ...work.recipe, options: deps.run.timeoutMemory.optionsFor(work.job.key, work.recipe.options) }
  const first = await sendUnrefused(work, recipe, id, deps, signal)
  const options = remedied(recipe.options, first.remedy)
  return options === null ? first : sendUnrefused(work, { ...recipe, options }, id, deps, signal)
}

/** Pause that the document's site requested from the service; null without one. */
function pauseOfSite({ address }: Work, { sitePauses }: Run): Purchase | null {
  const leftMs = address === null ? 0 : sitePauses.remainingMs(address)
  if (leftMs === 0) return null
  const message = `The site asks for no requests for another ${Math.ceil(leftMs / 1000)} s.`
  if (leftMs <= MAX_PAUSE_MS) return later(postpone(leftMs, message))
  const failure: Failure = { code: 'unreadable', stage: 'parse', message }
  return { kind: 'failed', failure, countsUntil: 'final', retryAfterMs: null }
}

/** Retries a throttled request here, before all waiting requests: in the queue it would be last. */
async function sendUnrefused(
  work: Work,
  recipe: Recipe,
  id: ReceiptId,
  deps: DocumentDeps,
  signal: AbortSignal,
): Promise<Sent> {
  let sent = await sendOnce(work, recipe, id, deps, signal)
  while (sent.againInMs !== undefined) {
    sent = await sendOnce({ ...work, again: { againInMs: sent.againInMs } }, recipe, id, deps, signal)
  }
  return sent
}

/** `againInMs`: a limit refused it; a retry may follow after this time. */
type Sent = Purchase & { readonly remedy: Remedy; readonly againInMs?: number }

const NO_REMEDY: Remedy = { kind: 'none' }

async function sendOnce(
  work: Work,
  recipe: Recipe,
  id: ReceiptId,
  deps: DocumentDeps,
  signal: AbortSignal,
): Promise<Sent> {
  const { job, tier } = work
  const { key } = job
  refuseToSend(key, tier, deps.policy)
  // Runs before the gate: no permit is held while the embedded engine starts.
  const unready = await tier.parser.ready(signal)
  if (unready !== null) return { ...later(postpone(HALTED_MS, unready)), remedy: NO_REMEDY }
  const acquired = await admit(work, recipe, id, deps, signal)
  if (acquired.kind !== 'admitted') return { ...acquired, remedy: NO_REMEDY }
  const { permit, reservation } = acquired
  const sentAt = deps.run.clock.monotonic()
  const answered = await sendRequest(work, recipe, id, acquired, deps, signal)
  if (answered.kind === 'later' || answered.kind === 'failed') return { ...answered, remedy: NO_REMEDY }
  const durationMs = deps.run.clock.monotonic() - sentAt
  if (answered.kind !== 'parsed') work.hold.giveBack()
  // An unreadable store keeps no permit, no intent and no reservation: the error is thrown after their release.
  const [ruled] = await Promise.allSettled([ruledVerdict(answered, work, deps)])
  const halted = ruled.status === 'fulfilled' && ruled.value.kind === 'halted' ? ruled.value : null
  reportHealth(answered, tier, deps.run)
  if (answered.kind === 'parsed') deps.run.timeoutMemory.recordAnswer(key)
  else if (answered.kind === 'unavailable' && answered.remedy.kind === 'timeout')
    deps.run.timeoutMemory.recordTimeout(key)
  const { address } = work
  if (address !== null && answered.kind === 'unavailable' && answered.errorPage !== undefined) {
    deps.run.sitePauses.recordPause(address, answered.retryAfterMs ?? 0)
  }
  const credits = chargeOf(answered, recipe, work)
  // Runs before the answer is saved: a charge counts in any case.
  const usage = usageOf(answered)
  if (usage !== null) {
    deps.run.events.emit('request:charged', { key, cost: costOf(usage, credits), service: receiverOf(tier).service })
  }
  const parser = { ...tier.parsers.own, at: new Date(deps.run.clock.wall()).toISOString() }
  const kept = receiptId(work.read.contentHash, work.recipe.hash, parser.class)
  const save = async (): Promise<void> => {
    if (answered.kind === 'parsed' && !recipe.options.zeroDataRetention) {
      await saveAnswer({ id: kept, intent: id, body: answered.answer.body, parser }, work, deps)
    }
    await tier.intents.clear(id)
  }
  // Concurrent: a paid answer must not wait for Redis, nor the next request for the disk. All of them end before an
  // error is thrown: no worker may search for an unfinished receipt.
  const leaving = deps.run.requestPriority.runUrgent(
    permit.release({ kind: 'answered', verdict: halted ?? answered, durationMs }),
  )
  const spent = tier.spending.conclude(reservation, credits ?? 'unknown')
  const [left, saved, settled] = await Promise.allSettled([leaving, save(), spent])
  if (saved.status === 'rejected') throw saved.reason
  if (settled.status === 'rejected') throw settled.reason
  if (left.status === 'rejected') throw left.reason
  emitVerdict(work, answered, { durationMs, modelled: reservation.modelled }, deps.run)
  if (ruled.status === 'rejected') throw ruled.reason
  const verdict = ruled.value
  return {
    ...purchaseOf(verdict, left.value, { attempt: work.attempt, parser }, deps.run),
    remedy: remedyOf(verdict, deps.policy),
    ...(verdict.kind === 'throttled' ? { againInMs: refusedMs(verdict, left.value) } : {}),
  }
}

/**
 * The service charges only for a parsed document, or for a site's error page. Its reported charge takes precedence over
 * the price model. Null if the charge is unknown: the request went out, and no answer arrived.
 */
function chargeOf(verdict: Verdict, recipe: Recipe, { extension, tier }: Work): number | null {
  if (isInDoubt(verdict)) return null
  const usage = usageOf(verdict)
  if (usage === null) return 0
  return chargedCredits(usage.credits, { recipe, extension, pages: usage.pages }, tier)
}

/** Usage of a paid answer: a document, or the error page of a site. */
function usageOf(verdict: Verdict): Usage | null {
  if (verdict.kind === 'parsed') return verdict.answer.usage
  return ((verdict.kind === 'unavailable' || verdict.kind === 'rejected') && verdict.errorPage) || null
}

/** True if a complete request got no usable answer: it may have been charged. */
const isInDoubt = (verdict: Verdict): boolean =>
  (verdict.kind === 'unavailable' && verdict.inDoubt === true) ||
  (verdict.kind === 'refused' && verdict.unusable !== undefined) ||
  (verdict.kind === 'rejected' && verdict.failure.code === 'bad_answer')

interface Sending extends Pick<Work, 'attempt'> {
  readonly parser: ParserFacts
}

function purchaseOf(verdict: RuledVerdict, released: Released, { attempt, parser }: Sending, run: Run): Purchase {
  switch (verdict.kind) {
    case 'parsed':
      return { kind: 'bought', answer: verdict.answer, parser }
    case 'rejected':
      return { kind: 'failed', failure: verdict.failure, countsUntil: 'final', retryAfterMs: null }
    case 'throttled': {
      const limit = verdict.limit === 'unknown' ? 'rate or concurrency' : verdict.limit
      return later(postpone(refusedMs(verdict, released), `the service refused it because of its ${limit} limit`))
    }
    case 'unavailable': {
      const waitMs = Math.max(verdict.retryAfterMs ?? 0, released.retryInMs ?? REFUSED_MS)
      if (!released.countsAsAttempt) return later(postpone(waitMs, 'the service is unavailable'))
      const tries = verdict.errorPage === undefined ? mostTries(verdict.serviceCode) : MAX_ERROR_PAGES
      const isTooLong = verdict.errorPage !== undefined && (verdict.retryAfterMs ?? 0) > MAX_PAUSE_MS
      const isLast = attempt >= (tries ?? Infinity) || isTooLong
      const countsUntil = isLast ? 'final' : attempt
      return { kind: 'failed', failure: failureOf(verdict), countsUntil, retryAfterMs: verdict.retryAfterMs }
    }
    case 'suspected': {
      const { failure, suspicion, usesAttempt } = verdict
      if (usesAttempt && attempt >= MAX_ATTEMPTS) {
        return { kind: 'failed', failure, countsUntil: 'final', retryAfterMs: null }
      }
      const postponed = { ...postpone(REFUSED_MS, failure.message), counted: usesAttempt, suspicion }
      return { ...later(postponed), suspected: failure }
    }
    case 'halted': {
      const { suspicion } = verdict
      run.halt(verdict.cause, verdict.message)
      const postponed = { ...postpone(HALTED_MS, verdict.message), ...(suspicion === undefined ? {} : { suspicion }) }
      return { ...later(postponed), halted: true }
    }
    default:
      return assertNever(verdict)
  }
}

/**
 * Immediate remedy for a document that would be rejected. A timeout has none: it waits for its next attempt, which gets
 * more time. Another mode costs more time, and is the user's choice.
 */
function remedyOf(verdict: RuledVerdict, { ocrFallback }: Pick<DocumentDeps['policy'], 'ocrFallback'>): Remedy {
  if (verdict.kind !== 'rejected') return NO_REMEDY
  return verdict.remedy.kind === 'mode' && !ocrFallback ? NO_REMEDY : verdict.remedy
}

/** Never less than the service's own time. */
const refusedMs = (verdict: Extract<Verdict, { kind: 'throttled' }>, released: Released): number =>
  Math.max(verdict.retryAfterMs ?? 0, released.retryInMs ?? REFUSED_MS)

const failureOf = (verdict: Extract<Verdict, { kind: 'unavailable' }>): Failure => ({
  code: verdict.code,
  stage: 'parse',
  message: verdict.message,
  ...(verdict.serviceCode === null ? {} : { serviceCode: verdict.serviceCode }),
  ...(verdict.httpStatus === null ? {} : { httpStatus: verdict.httpStatus }),
})

/** Reports an outage before the answer is saved, because the write may have to wait for the store. */
function reportHealth(verdict: Verdict, tier: Tier, { events }: Run): void {
  const { dependency = 'service' } = tier
  const { service } = receiverOf(tier)
  if (verdict.kind !== 'unavailable') events.emit('dependency:works', { dependency, service })
  else if (verdict.countsAgainstService) {
    events.emit('dependency:failed', { dependency, service, cause: verdict.message })
  }
}

const costOf = (usage: Usage, credits: number | null): Cost => ({
  credits: credits ?? 0,
  basis: usage.credits === null ? 'estimated' : 'reported',
})

const requestIdOf = (verdict: Verdict): string | null =>
  verdict.kind === 'parsed' ? verdict.answer.requestId : (verdict.requestId ?? null)

function emitVerdict(
  { job: { key }, tier }: Pick<Work, 'job' | 'tier'>,
  verdict: Verdict,
  { durationMs, modelled }: { readonly durationMs: number; readonly modelled: number },
  { events }: Run,
): void {
  const requestId = requestIdOf(verdict)
  const receiver = receiverOf(tier)
  const bytes = verdict.kind === 'parsed' ? verdict.answer.body.length : 0
  events.emit('request:answered', { key, verdict: verdict.kind, requestId, durationMs, bytes, ...receiver })
  if (isInDoubt(verdict)) events.emit('request:lost', { key, credits: modelled, ...receiver })
  if (verdict.kind === 'throttled') {
    events.emit('request:throttled', {
      key,
      requestId,
      limit: verdict.limit,
      retryAfterMs: verdict.retryAfterMs,
      ...receiver,
    })
  }
}
