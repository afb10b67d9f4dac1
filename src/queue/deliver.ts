import { DelayedError, type Job, WaitingError } from 'bullmq'
import { setTimeout as sleep } from 'node:timers/promises'
import { assertNever } from '#src/document/assert-never.ts'
import { backoffMs, MAX_ATTEMPTS } from '#src/document/backoff.ts'
import type { Delivery, DocumentJob, JobVerdict } from '#src/ports/queue.ts'
import type { GiveUpReason } from '#src/ports/queue.ts'
import type { ConsumeOptions } from './consume-options.ts'
import type { AdaptiveConcurrency } from './adaptive-concurrency.ts'
import { Postponement } from './postponement.ts'
import { PoisonQuarantine } from './poison-quarantine.ts'

/** What becomes of a delivery: a verdict of `handle`, or the job goes back unused because the process stops. */
type Ending = JobVerdict | { readonly kind: 'hand_back' }

/** How long a job of another release waits for a worker that understands it. */
const OTHER_SCHEMA_DELAY_MS = 60_000

/**
 * Takes one job at a time from BullMQ to `handle`, and spells its ending in BullMQ's terms:
 *
 * - `finish`: the job completes and is removed.
 * - `postpone`, counted: the job fails with a `Postponement`, which adds one to BullMQ's `attemptsMade`.
 * - `postpone`, not counted: the job moves to the delayed ones by hand; `attemptsMade` stays.
 * - `hand-back`: the job moves to the front of the waiting ones by hand; `attemptsMade` stays.
 *
 * A job never ends failed in BullMQ: what must be given up is given to `giveUp`, and finishes after that.
 */
export class Deliverer {
  /** Set once: jobs that were fetched but not begun go back untouched. */
  stopping = false
  readonly #options: Pick<ConsumeOptions, 'handle' | 'giveUp' | 'onError'>
  readonly #deathsAllowed: number
  readonly #abortPatienceMs: number
  readonly #quarantine: PoisonQuarantine
  readonly #adaptive: AdaptiveConcurrency
  #active = 0
  #lastAt = performance.now()

  constructor(
    options: Pick<ConsumeOptions, 'handle' | 'giveUp' | 'onError'>,
    deathsAllowed: number,
    abortPatienceMs: number,
    adaptive: AdaptiveConcurrency,
  ) {
    this.#adaptive = adaptive
    this.#options = options
    this.#deathsAllowed = deathsAllowed
    this.#abortPatienceMs = abortPatienceMs
    this.#quarantine = new PoisonQuarantine(deathsAllowed)
  }

  get active(): number {
    return this.#active
  }

  /** `performance.now()` when a job last came or went. */
  get lastAt(): number {
    return this.#lastAt
  }

  async process(job: Job<DocumentJob>, token: string | undefined, signal: AbortSignal): Promise<void> {
    this.#active += 1
    this.#lastAt = performance.now()
    try {
      await endDelivery(job, token, await this.#deliver(job, signal))
    } finally {
      this.#active -= 1
      this.#lastAt = performance.now()
    }
  }

  async #deliver(job: Job<DocumentJob>, signal: AbortSignal): Promise<Ending> {
    if (this.stopping) return { kind: 'hand_back' }
    if (job.data.schema !== 1) return uncounted(OTHER_SCHEMA_DELAY_MS, 'made by another release of Sluice')
    const deaths = job.stalledCounter
    const admission = this.#quarantine.enter(deaths)
    if (admission.kind === 'deferred')
      return uncounted(admission.waitMs, 'workers died with it, so few such are run together')
    const delivery: Delivery = { job: job.data, attempt: job.attemptsMade + 1 }
    try {
      if (deaths > this.#deathsAllowed) return await this.#giveUp(delivery, { kind: 'deadly', times: deaths }, signal)
      return await this.#weigh(await this.#handle(delivery, signal), signal)
    } finally {
      admission.leave()
    }
  }

  /**
   * Feeds back into the adaptive concurrency how a delivery that was begun ended. A job that was deferred by the quarantine
   * is not one of them, nor is one that the service refused: a suspect that rested here would be counted as present at the death of the worker.
   */
  async #weigh(ending: Ending, signal: AbortSignal): Promise<Ending> {
    if (ending.kind === 'finish') this.#adaptive.onCompleted()
    if (ending.kind !== 'postpone' || ending.counted || ending.suspicion !== undefined) return ending
    const restMs = this.#adaptive.onPostponed()
    if (restMs > 0 && !this.stopping) await sleep(restMs, undefined, { signal }).catch(() => undefined)
    return ending
  }

  async #handle(delivery: Delivery, signal: AbortSignal): Promise<Ending> {
    try {
      return await Promise.race([this.#options.handle(delivery, signal), this.#abandoned(signal)])
    } catch (error) {
      if (signal.aborted) return { kind: 'hand_back' }
      this.#options.onError(error, delivery.job.key)
      if (delivery.attempt >= MAX_ATTEMPTS) return this.#giveUp(delivery, { kind: 'threw', error }, signal)
      return counted(backoffMs(delivery.attempt, null, Math.random), 'an unexpected error')
    }
  }

  /** Resolves some time after the abort, for a `handle` that does not heed it. */
  #abandoned(signal: AbortSignal): Promise<Ending> {
    return new Promise((resolve) => {
      const handBackLater = (): void => {
        void sleep(this.#abortPatienceMs, undefined, { ref: false }).then(() => resolve({ kind: 'hand_back' }))
      }
      if (signal.aborted) handBackLater()
      else signal.addEventListener('abort', handBackLater, { once: true })
    })
  }

  async #giveUp(delivery: Delivery, reason: GiveUpReason, signal: AbortSignal): Promise<Ending> {
    try {
      await this.#options.giveUp(delivery, reason, signal)
      return { kind: 'finish' }
    } catch (error) {
      if (signal.aborted) return { kind: 'hand_back' }
      this.#options.onError(error, delivery.job.key)
      return counted(backoffMs(MAX_ATTEMPTS, null, Math.random), 'it could not be buried')
    }
  }
}

const counted = (afterMs: number, reason: string): JobVerdict => ({ kind: 'postpone', afterMs, counted: true, reason })
const uncounted = (afterMs: number, reason: string): JobVerdict => ({
  kind: 'postpone',
  afterMs,
  counted: false,
  reason,
})

async function endDelivery(job: Job<DocumentJob>, token: string | undefined, ending: Ending): Promise<void> {
  const { suspicion } = ending.kind === 'postpone' ? ending : {}
  if (suspicion !== undefined) await job.updateData({ ...job.data, suspicion })
  switch (ending.kind) {
    case 'finish':
      return
    case 'hand_back':
      await job.moveToWait(token)
      throw new WaitingError()
    case 'postpone':
      if (ending.counted) throw new Postponement(ending.afterMs, ending.reason)
      await job.moveToDelayed(Date.now() + Math.max(1, Math.round(ending.afterMs)), token)
      throw new DelayedError()
    default:
      assertNever(ending)
  }
}
