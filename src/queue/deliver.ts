import { DelayedError, type Job, WaitingError } from 'bullmq'
import { setTimeout as sleep } from 'node:timers/promises'
import { assertNever } from '#src/kit/assert-never.ts'
import { backoffMs, MAX_ATTEMPTS } from '#src/kit/backoff.ts'
import type { Delivery, GiveUpReason, JobVerdict } from '#src/ports/queue.ts'
import type { AdaptiveConcurrency } from './adaptive-concurrency.ts'
import type { ConsumeOptions, ConsumeTiming } from './consume-options.ts'
import type { DocumentQueue } from './document-queue.ts'
import { type QueuedJob, remainingMs } from './due-time.ts'
import { PoisonQuarantine } from './poison-quarantine.ts'

type Postponement = Extract<JobVerdict, { kind: 'postpone' }>

/**
 * Result of a delivery: a verdict of `handle`, or a return of the unused job. The job returns because the process
 * stops, or because another release of Sluice made it, and keeps its data.
 */
type Ending = JobVerdict | { readonly kind: 'hand-back' | 'other-schema' }

/** Delay of a job of another release, until a worker of that release takes it. */
const OTHER_SCHEMA_DELAY_MS = 60_000

/** Timeout of `handle` after an abort; then the queue returns its job without it. */
export const ABORT_PATIENCE_MS = 1_500

/**
 * Passes one job at a time from BullMQ to `handle`, and maps its result to BullMQ:
 *
 * - `finish`: the job completes and is removed.
 * - `postpone`: this class moves the job to the delayed set itself, which uses none of BullMQ's attempts. The job's
 *   data hold its due time and the counted attempts.
 * - `hand-back`: this class moves the job to the front of the waiting list itself.
 *
 * A job never ends failed in BullMQ: a hopeless one goes to `giveUp`, and finishes after that.
 */
export class Deliverer {
  /** Set once: jobs that were fetched but not started return untouched. */
  stopping = false
  readonly #options: Pick<ConsumeOptions, 'handle' | 'giveUp' | 'onError'>
  readonly #timing: Pick<ConsumeTiming, 'deathsAllowed' | 'lockMs'>
  readonly #queue: Pick<DocumentQueue, 'now'>
  readonly #quarantine: PoisonQuarantine
  readonly #adaptive: AdaptiveConcurrency
  #active = 0
  #lastAt = performance.now()

  constructor(
    options: Pick<ConsumeOptions, 'handle' | 'giveUp' | 'onError'>,
    timing: Pick<ConsumeTiming, 'deathsAllowed' | 'lockMs'>,
    queue: Pick<DocumentQueue, 'now'>,
    adaptive: AdaptiveConcurrency,
  ) {
    this.#adaptive = adaptive
    this.#options = options
    this.#timing = timing
    this.#queue = queue
    this.#quarantine = new PoisonQuarantine(timing.deathsAllowed)
  }

  get active(): number {
    return this.#active
  }

  /** `performance.now()` at the last start or end of a job. */
  get lastAt(): number {
    return this.#lastAt
  }

  async process(job: Job<QueuedJob>, token: string | undefined, signal: AbortSignal): Promise<void> {
    this.#active += 1
    this.#lastAt = performance.now()
    try {
      await this.#end(job, token, await this.#deliver(job, signal))
    } finally {
      this.#active -= 1
      this.#lastAt = performance.now()
    }
  }

  async #deliver(job: Job<QueuedJob>, signal: AbortSignal): Promise<Ending> {
    if (this.stopping) return { kind: 'hand-back' }
    if (job.data.schema !== 1) return { kind: 'other-schema' }
    const { attempts = 0, postponed, ...document } = job.data
    const earlyMs = postponed === undefined ? 0 : remainingMs(postponed, await this.#queue.now())
    if (earlyMs > 0) return uncounted(earlyMs, 'the clock of this machine is ahead of that of Redis')
    const deaths = job.stalledCounter
    const admission = this.#quarantine.admit(deaths)
    if (admission.kind === 'deferred')
      return uncounted(admission.waitMs, 'workers died while processing it, so it waits in quarantine for its turn')
    const delivery: Delivery = { job: document, attempt: attempts + job.attemptsMade + 1 }
    try {
      if (deaths > this.#timing.deathsAllowed)
        return await this.#giveUp(delivery, { kind: 'deadly', times: deaths }, signal)
      return await this.#adaptConcurrency(await this.#handle(delivery, signal), signal)
    } finally {
      admission.leave()
    }
  }

  /**
   * Feeds the result of a started delivery back into the adaptive concurrency. It excludes jobs that the quarantine
   * deferred or the service refused: a suspect that rests here would count as present at the death of the worker.
   */
  async #adaptConcurrency(ending: Ending, signal: AbortSignal): Promise<Ending> {
    if (ending.kind === 'finish') this.#adaptive.onCompleted()
    if (ending.kind !== 'postpone' || ending.counted || ending.suspicion !== undefined) return ending
    const restMs = this.#adaptive.onPostponed()
    if (restMs > 0 && !this.stopping) await sleep(restMs, undefined, { signal }).catch(() => undefined)
    return ending
  }

  async #handle(delivery: Delivery, signal: AbortSignal): Promise<Ending> {
    try {
      return await Promise.race([this.#options.handle(delivery, signal), this.#handBackAfterAbort(signal)])
    } catch (error) {
      if (signal.aborted) return { kind: 'hand-back' }
      this.#options.onError(error, delivery.job.key)
      if (delivery.attempt >= MAX_ATTEMPTS) return this.#giveUp(delivery, { kind: 'threw', error }, signal)
      return counted(backoffMs(delivery.attempt, null, Math.random), 'an unexpected error')
    }
  }

  /** Resolves some time after the abort, for a `handle` that ignores it. */
  #handBackAfterAbort(signal: AbortSignal): Promise<Ending> {
    return new Promise((resolve) => {
      const handBackLater = (): void => {
        void sleep(ABORT_PATIENCE_MS, undefined, { ref: false }).then(() => resolve({ kind: 'hand-back' }))
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
      if (signal.aborted) return { kind: 'hand-back' }
      this.#options.onError(error, delivery.job.key)
      return counted(backoffMs(MAX_ATTEMPTS, null, Math.random), 'its failure could not be recorded')
    }
  }

  async #end(job: Job<QueuedJob>, token: string | undefined, ending: Ending): Promise<void> {
    switch (ending.kind) {
      case 'finish':
        return
      case 'hand-back':
        await job.moveToWait(token)
        throw new WaitingError()
      case 'other-schema':
        await job.moveToDelayed(Date.now() + OTHER_SCHEMA_DELAY_MS, token)
        throw new DelayedError()
      case 'postpone':
        await this.#recordPostponement(job, token, ending)
        await job.moveToDelayed(Date.now() + Math.max(1, Math.round(ending.afterMs)), token)
        throw new DelayedError()
      default:
        assertNever(ending)
    }
  }

  /**
   * Written before the job moves. A worker that dies between the two leaves an active job. The job returns when its
   * lock expires, waits for the rest of its delay, and has used its attempt. An answer for it has its receipt, so no
   * data is lost or bought twice.
   *
   * BullMQ writes data without checking the lock, so this method renews it first. A worker that lost the job writes
   * nothing, and its move fails; the data of the new holder stay unchanged.
   */
  async #recordPostponement(job: Job<QueuedJob>, token: string | undefined, verdict: Postponement): Promise<void> {
    const [held, now] = await Promise.all([job.extendLock(token ?? '', this.#timing.lockMs), this.#queue.now()])
    if (held !== 1) return
    const { suspicion, counted: isCounted } = verdict
    const forMs = Math.round(verdict.afterMs)
    await job.updateData({
      ...job.data,
      ...(suspicion === undefined ? {} : { suspicion }),
      ...(isCounted ? { attempts: (job.data.attempts ?? 0) + 1 } : {}),
      postponed: { untilMs: now + forMs, forMs },
    })
  }
}

const counted = (afterMs: number, reason: string): JobVerdict => ({ kind: 'postpone', afterMs, counted: true, reason })
const uncounted = (afterMs: number, reason: string): JobVerdict => ({
  kind: 'postpone',
  afterMs,
  counted: false,
  reason,
})
