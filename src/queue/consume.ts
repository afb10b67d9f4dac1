import type { Stoppable } from '#src/ports/stoppable.ts'
import type { ConsumeOptions, ConsumeTiming } from './consume-options.ts'
import { ABORT_PATIENCE_MS, Deliverer } from './deliver.ts'
import { DocumentQueue } from './document-queue.ts'
import { AdaptiveConcurrency } from './adaptive-concurrency.ts'
import { QueueWorker } from './queue-worker.ts'
import { settlesWithin } from '#src/redis/settles-within.ts'
import { StuckWatch } from './stuck-watch.ts'

const TIMING: ConsumeTiming = { lockMs: 10_000, stalledCheckMs: 4_000, deathsAllowed: 10, stuckAfterMs: 60_000 }

/** Timeout for Redis to store the result of a job. */
const SETTLE_PATIENCE_MS = 500

/**
 * After a stop it takes no more jobs, and lets the running ones finish for `graceMs`. Then it aborts them and returns
 * their jobs, which uses no attempt. It stops within about three seconds after the grace, for any `handle`; a job that
 * could not be returned is free when its lock expires.
 */
export interface Consumer extends Stoppable {
  /** Number of documents in flight. */
  readonly active: number
}

/** Starts a consumer of the pipeline's queue. */
export function consume(options: ConsumeOptions): Consumer {
  return new QueueConsumer(options, { ...TIMING, ...options.timing })
}

class QueueConsumer implements Consumer {
  readonly #options: ConsumeOptions
  readonly #timing: ConsumeTiming
  readonly #adaptive: AdaptiveConcurrency
  readonly #deliverer: Deliverer
  readonly #watch: StuckWatch
  readonly #delayed: DelayedWatch
  #worker: QueueWorker

  constructor(options: ConsumeOptions, timing: ConsumeTiming) {
    this.#options = options
    this.#timing = timing
    const queue = new DocumentQueue(options)
    this.#adaptive = new AdaptiveConcurrency(options.concurrency)
    this.#deliverer = new Deliverer(options, timing, queue, this.#adaptive)
    this.#worker = this.#open()
    this.#watch = new StuckWatch(queue, this.#deliverer, timing.stuckAfterMs, () => this.#reopen())
    this.#delayed = new DelayedWatch(queue)
  }

  get active(): number {
    return this.#deliverer.active
  }

  async stop({ graceMs }: { readonly graceMs: number }): Promise<void> {
    this.#watch[Symbol.dispose]()
    this.#delayed[Symbol.dispose]()
    this.#deliverer.stopping = true
    const drained = this.#worker.drain()
    if (await settlesWithin(drained, graceMs)) return
    this.#worker.abortJobs()
    if (await settlesWithin(drained, ABORT_PATIENCE_MS + SETTLE_PATIENCE_MS)) return
    await this.#worker.forceClose()
  }

  #open(): QueueWorker {
    const worker = new QueueWorker({
      ...this.#options,
      ...this.#timing,
      process: async (job, token, signal) => {
        try {
          await this.#deliverer.process(job, token, signal)
        } finally {
          worker.concurrency = this.#adaptive.slots
        }
      },
      onError: (error) => this.#options.onError(error, null),
    })
    return worker
  }

  async #reopen(): Promise<void> {
    this.#options.onError(new Error('the worker takes no jobs although some are waiting, so it is restarted'), null)
    const stuck = this.#worker
    this.#worker = this.#open()
    if (!(await settlesWithin(stuck.drain(), SETTLE_PATIENCE_MS))) await stuck.forceClose()
  }
}

const CHECK_EVERY_MS = 2_000

/** Polls for overdue jobs: a delay that BullMQ computed with a wrong clock would last as long as the error. */
class DelayedWatch implements Disposable {
  readonly #timer: NodeJS.Timeout
  #isLooking = false

  constructor(queue: DocumentQueue) {
    this.#timer = setInterval(() => void this.#check(queue), CHECK_EVERY_MS).unref()
  }

  [Symbol.dispose](): void {
    clearInterval(this.#timer)
  }

  async #check(queue: DocumentQueue): Promise<void> {
    if (this.#isLooking) return
    this.#isLooking = true
    // Fails while Redis refuses writes (read-only, loading), and after the connection was closed permanently.
    await queue.promoteOverdue().catch(() => undefined)
    this.#isLooking = false
  }
}
