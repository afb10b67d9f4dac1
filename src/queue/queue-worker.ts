import { type Job, type Processor, Worker } from 'bullmq'
import { redisPrefix } from '#src/document/pipeline.ts'
import type { DocumentJob } from '#src/ports/queue.ts'
import { type RedisConnection, sibling } from '#src/redis/connection.ts'
import { postponementDelayMs } from './postponement.ts'
import { QUEUE_NAME } from './queue-layout.ts'
import { RedisClock } from '#src/redis/redis-clock.ts'
import { settlesWithin } from '#src/redis/settles-within.ts'
import { timedBackend } from './timed-backend.ts'

export interface QueueWorkerOptions {
  readonly connection: RedisConnection
  readonly pipeline: string
  readonly concurrency: number
  readonly lockMs: number
  readonly stalledCheckMs: number
  readonly process: (job: Job<DocumentJob>, token: string | undefined, signal: AbortSignal) => Promise<void>
  readonly onError: (error: Error) => void
}

/** BullMQ's pause after a failed fetch; its default of 15 s would be felt after every outage. */
const FETCH_RETRY_MS = 1_000

/** How long a connection may take to be cut. */
const DISCONNECT_PATIENCE_MS = 500

/**
 * BullMQ stops its timers at the end of a close. One that meets a restart of Redis has no end, and the timer that renews
 * locks would keep the process for good.
 */
class WorkerWithStoppableTimers extends Worker<DocumentJob> {
  async stopTimers(): Promise<void> {
    await this.lockManager.close()
  }
}

/** A BullMQ worker with our settings, on connections of its own that end with it whatever state they are in. */
export class QueueWorker {
  readonly #worker: WorkerWithStoppableTimers
  readonly #connection: RedisConnection

  constructor(options: QueueWorkerOptions) {
    this.#connection = sibling(options.connection)
    // BullMQ passes the signal only to a function that declares three parameters.
    const process: Processor<DocumentJob> = (job, token, signal) =>
      options.process(job, token, signal ?? new AbortController().signal)
    const settings = {
      connection: this.#connection,
      prefix: redisPrefix(options.pipeline),
      concurrency: options.concurrency,
      lockDuration: options.lockMs,
      stalledInterval: options.stalledCheckMs,
      // Never BullMQ's decision: a job is given up by `Deliverer`, after its document was buried.
      maxStalledCount: Number.MAX_SAFE_INTEGER,
      runRetryDelay: FETCH_RETRY_MS,
      removeOnComplete: { count: 0 },
      removeOnFail: { count: 0 },
      settings: { backoffStrategy: postponementDelayMs },
    }
    this.#worker = new WorkerWithStoppableTimers(
      QUEUE_NAME,
      process,
      settings,
      timedBackend(new RedisClock(this.#connection)),
    )
    this.#worker.on('error', (error) => {
      if (!isOutage(error) && !isLostLock(error)) options.onError(error)
    })
    this.#worker.on('lockRenewalFailed', (ids) => options.onError(lostLocks(ids)))
  }

  /** Takes effect when the next job ends. */
  set concurrency(documents: number) {
    this.#worker.concurrency = documents
  }

  /** Takes no more jobs; resolves when the running ones are settled. May be called again. */
  async drain(): Promise<void> {
    await this.#worker.close()
    this.#connection.disconnect()
  }

  /** Aborts the signals of all running jobs. */
  abortJobs(): void {
    this.#worker.cancelAllJobs('the worker stops')
  }

  /** Disconnects without waiting for running jobs: those come back when their locks expire. */
  async cut(): Promise<void> {
    await this.#worker.stopTimers()
    await settlesWithin(this.#worker.disconnect(), DISCONNECT_PATIENCE_MS)
    this.#connection.disconnect()
  }
}

/** Errors of ioredis while Redis is away. It reconnects by itself, so they are not reported. */
const isOutage = (error: Error): boolean => /connection|ECONN|EPIPE|ENOENT/i.test(`${error.name} ${error.message}`)

/** Reported once for all jobs by `lostLocks`, instead of at each renewal and again when the job is settled. */
const isLostLock = (error: Error): boolean => /could not renew lock|Missing lock|Lock mismatch/i.test(error.message)

const lostLocks = (ids: readonly string[]): Error =>
  new Error(
    `${ids.length} documents in work lost their locks, because Redis was away or this process stood still: ` +
      'they come again, and what was received for them is not bought again',
  )
