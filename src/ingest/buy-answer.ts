import { optionsForAttempt, remedied } from '#src/contract/remedies.ts'
import { assertNever } from '#src/document/assert-never.ts'
import type { Failure } from '#src/document/failure.ts'
import type { ReceiptId } from '#src/document/ids.ts'
import type { Answer, Remedy, Verdict } from '#src/document/verdict.ts'
import { type Admission, type Departure, DocumentChanged, type JobVerdict, type Recipe } from '#src/ports.ts'
import type { IngestDeps } from './deps.ts'
import { type AttemptsUsed, postpone } from './job-verdicts.ts'
import { untilWritten } from './until-written.ts'
import type { Work } from './work.ts'

/** How long a copy of a document waits while the same bytes are being bought under another name. */
const SAME_RECEIPT_MS = 1_000

/** Shortest wait after a refusal for which neither the service nor the gate named a time. */
const REFUSED_MS = 1_000

/** A halted batch keeps its jobs; whoever resumes finds them ready. */
const HALTED_MS = 1_000

/** How often a document asks again while a probe may find the service open to us. */
const PROBED_MS = 2_000

export type Purchase =
  | { readonly kind: 'bought'; readonly answer: Answer }
  /** Another worker bought it for a copy of the document in the moment after we looked for its receipt. */
  | { readonly kind: 'kept'; readonly body: Buffer }
  | { readonly kind: 'later'; readonly verdict: JobVerdict }
  | {
      readonly kind: 'failed'
      readonly failure: Failure
      /** The counted attempt that this failure ends, or `final` where no further one can help. */
      readonly countsUntil: AttemptsUsed
      /** What the service asked to wait before another attempt; null when it named no time. */
      readonly retryAfterMs: number | null
    }

/**
 * Steps 3 and 4: through the gate, one request, its answer into the store before anything else is done with it. The
 * intent is cleared only when nothing was bought or the receipt is safe: after a kill, or an error on the way between
 * the two, it stays and shows the request as ambiguous.
 */
export async function buyAnswer(work: Work, id: ReceiptId, deps: IngestDeps, signal: AbortSignal): Promise<Purchase> {
  if (!(await deps.intents.begin(id, work.job.key))) {
    return later(postpone(SAME_RECEIPT_MS, 'the same bytes are being parsed under another name'))
  }
  // Nobody else can save this receipt from here on, so only now its absence can be relied on.
  const body = work.recipe.options.zeroDataRetention ? null : await deps.store.readReceipt(id)
  if (body !== null) {
    await deps.intents.clear(id)
    return { kind: 'kept', body }
  }
  const recipe = { ...work.recipe, options: optionsForAttempt(work.recipe.options, work.attempt) }
  const first = await sendOnce(work, recipe, id, deps, signal)
  const options = remedied(recipe.options, first.remedy)
  const purchase = options === null ? first : await sendOnce(work, { ...recipe, options }, id, deps, signal)
  await deps.intents.clear(id)
  return purchase
}

type Sent = Purchase & { readonly remedy: Remedy }

const NO_REMEDY: Remedy = { change: 'none' }

async function sendOnce(
  work: Work,
  recipe: Recipe,
  id: ReceiptId,
  deps: IngestDeps,
  signal: AbortSignal,
): Promise<Sent> {
  const { key } = work.job
  const { admission, pages } = await queueUp(work, recipe, id, deps, signal)
  if (admission.kind === 'wait') return { ...later(postpone(admission.waitMs, admission.reason)), remedy: NO_REMEDY }
  if (admission.kind === 'halted') {
    // Shut by somebody's answer, maybe while a probe is under way: only our own answer, or a budget, halts this run.
    if (admission.retryInMs === null) deps.halt(admission.cause, admission.message)
    const waitMs = Math.min(admission.retryInMs ?? HALTED_MS, PROBED_MS)
    return { ...later(postpone(waitMs, admission.message)), remedy: NO_REMEDY }
  }
  const sentAt = performance.now()
  deps.events.emit('request:sent', { key, bytes: work.read.bytes })
  let verdict: Verdict
  try {
    verdict = await deps.parser.parse(
      {
        contentHash: work.read.contentHash,
        extension: work.extension,
        bytes: work.read.bytes,
        read: work.read.reread,
        options: recipe.options,
        pages,
      },
      signal,
    )
  } catch (error) {
    await deps.gate.leave(admission.permit, { verdict: 'abandoned' })
    if (!(error instanceof DocumentChanged)) throw error
    const failure: Failure = { code: 'changing', stage: 'read', message: error.message }
    return { kind: 'failed', failure, countsUntil: work.attempt, retryAfterMs: null, remedy: NO_REMEDY }
  }
  const durationMs = performance.now() - sentAt
  const credits = chargedCredits(verdict, recipe, work, deps)
  const save = async (): Promise<void> => {
    if (verdict.kind !== 'parsed' || recipe.options.zeroDataRetention) return
    await untilWritten(() => deps.store.saveReceipt(id, verdict.answer.body), key, deps, signal)
  }
  // Side by side: what was paid for must not wait for Redis, nor the next request for the disk. Neither is left behind
  // when the other fails: nobody may look for a receipt that is still being written.
  const leaving = deps.gate.leave(admission.permit, { verdict, durationMs, credits })
  const [left, saved] = await Promise.allSettled([leaving, save()])
  if (saved.status === 'rejected') throw saved.reason
  if (left.status === 'rejected') throw left.reason
  tell(work, verdict, durationMs, deps)
  return { ...purchaseOf(verdict, left.value, work.attempt, deps), remedy: remedyOf(verdict, deps) }
}

/** Up to the gate. Whoever is cut off here has sent nothing, so nothing is in doubt. */
async function queueUp(
  work: Work,
  recipe: Recipe,
  id: ReceiptId,
  deps: IngestDeps,
  signal: AbortSignal,
): Promise<{ readonly admission: Admission; readonly pages: number | null }> {
  try {
    const pages = await deps.countPages(work.read, work.extension, signal)
    const ticket = { key: work.job.key, credits: deps.price(recipe, work.extension, pages) }
    return { admission: await deps.gate.enter(ticket, signal), pages }
  } catch (error) {
    await deps.intents.clear(id)
    throw error
  }
}

/**
 * Only a document that came out is charged; what the service reports wins over the price model. Null where nobody can
 * know: the request went out and no answer came back.
 */
function chargedCredits(verdict: Verdict, recipe: Recipe, work: Work, deps: IngestDeps): number | null {
  if (verdict.kind === 'unavailable' && verdict.inDoubt === true) return null
  if (verdict.kind !== 'parsed') return 0
  const { credits, pages } = verdict.answer.usage
  return credits ?? deps.price(recipe, work.extension, pages)
}

function purchaseOf(verdict: Verdict, departure: Departure, attempt: number, deps: IngestDeps): Purchase {
  switch (verdict.kind) {
    case 'parsed':
      return { kind: 'bought', answer: verdict.answer }
    case 'rejected':
      return { kind: 'failed', failure: verdict.failure, countsUntil: 'final', retryAfterMs: null }
    case 'throttled': {
      const waitMs = Math.max(verdict.retryAfterMs ?? 0, departure.retryInMs ?? REFUSED_MS)
      return later(postpone(waitMs, `the service refused it for its ${verdict.limit} limit`))
    }
    case 'unavailable': {
      const waitMs = Math.max(verdict.retryAfterMs ?? 0, departure.retryInMs ?? REFUSED_MS)
      if (!departure.countsAsAttempt) return later(postpone(waitMs, 'the service is unavailable'))
      return { kind: 'failed', failure: failureOf(verdict), countsUntil: attempt, retryAfterMs: verdict.retryAfterMs }
    }
    case 'halted':
      deps.halt(verdict.cause, verdict.message)
      return later(postpone(HALTED_MS, verdict.message))
    default:
      return assertNever(verdict)
  }
}

const later = (verdict: JobVerdict): Purchase => ({ kind: 'later', verdict })

/**
 * What may be tried at once for a document that would be rejected as it is. A time-out has no place here: it waits for
 * its next attempt, which is given more time. Another mode is another price of time, and the user's choice.
 */
function remedyOf(verdict: Verdict, { ocrFallback }: IngestDeps): Remedy {
  if (verdict.kind !== 'rejected') return NO_REMEDY
  return verdict.remedy.change === 'mode' && !ocrFallback ? NO_REMEDY : verdict.remedy
}

const failureOf = (verdict: Extract<Verdict, { kind: 'unavailable' }>): Failure => ({
  code: verdict.code,
  stage: 'parse',
  message: verdict.message,
  ...(verdict.serviceCode === null ? {} : { serviceCode: verdict.serviceCode }),
  ...(verdict.httpStatus === null ? {} : { httpStatus: verdict.httpStatus }),
})

function tell(work: Work, verdict: Verdict, durationMs: number, { events }: IngestDeps): void {
  const bytes = verdict.kind === 'parsed' ? verdict.answer.body.length : 0
  events.emit('request:answered', { key: work.job.key, verdict: verdict.kind, durationMs, bytes })
  if (verdict.kind === 'unavailable' && verdict.inDoubt === true) events.emit('request:lost', { key: work.job.key })
  if (verdict.kind === 'throttled') {
    events.emit('request:throttled', { limit: verdict.limit, retryAfterMs: verdict.retryAfterMs })
  }
}
