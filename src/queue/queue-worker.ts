import { type Job, type Processor, Worker } from 'bullmq'
import { redisPrefix } from '#src/document/pipeline.ts'
import { type RedisConnection, duplicateConnection } from '#src/redis/connection.ts'
import { settlesWithin } from '#src/redis/settles-within.ts'
import { QUEUE_NAME } from './document-queue.ts'
import type { QueuedJob } from './due-time.ts'

export interface QueueWorkerOptions {
  readonly connection: RedisConnection
  readonly pipeline: string
  readonly concurrency: number
  readonly lockMs: number
  readonly stalledCheckMs: number
  readonly process: (job: Job<QueuedJob>, token: string | undefined, signal: AbortSignal) => Promise<void>
  readonly onError: (error: Error) => void
}

/** BullMQ's pause after a failed fetch; its default of 15 s would delay the recovery from every outage. */
const FETCH_RETRY_MS = 1_000

/** Timeout for disconnecting. */
const DISCONNECT_PATIENCE_MS = 500

/** Pause before the retry of a job whose result could not be stored. */
const UNKNOWN_ERROR_DELAY_MS = 1_000

/** A BullMQ worker with our settings, on connections of its own that end with it in any state. */
export class QueueWorker {
  readonly #worker: Worker<QueuedJob>
  readonly #connection: RedisConnection
  #drained: Promise<void> | null = null

  constructor(options: QueueWorkerOptions) {
    this.#connection = duplicateConnection(options.connection)
    // BullMQ passes the signal only to a function that declares three parameters.
    const process: Processor<QueuedJob> = (job, token, signal) =>
      options.process(job, token, signal ?? new AbortController().signal)
    this.#worker = new Worker(QUEUE_NAME, process, {
      connection: this.#connection,
      prefix: redisPrefix(options.pipeline),
      concurrency: options.concurrency,
      lockDuration: options.lockMs,
      stalledInterval: options.stalledCheckMs,
      // Never BullMQ's decision: `Deliverer` gives a job up, after its dead letter was written.
      maxStalledCount: Number.MAX_SAFE_INTEGER,
      runRetryDelay: FETCH_RETRY_MS,
      removeOnComplete: { count: 0 },
      removeOnFail: { count: 0 },
      settings: { backoffStrategy: () => UNKNOWN_ERROR_DELAY_MS },
    })
    this.#worker.on('error', (error) => {
      if (!isOutage(error) && !isLostLock(error)) options.onError(error)
    })
    this.#worker.on('lockRenewalFailed', (ids) => options.onError(lostLocks(ids)))
  }

  /** Takes effect when the next job ends. */
  set concurrency(documents: number) {
    this.#worker.concurrency = documents
  }

  /** Takes no more jobs; resolves when the running ones have ended. Idempotent. */
  drain(): Promise<void> {
    this.#drained ??= this.#drain()
    return this.#drained
  }

  /** Aborts the signals of all running jobs. */
  abortJobs(): void {
    this.#worker.cancelAllJobs('the worker stops')
  }

  /**
   * Disconnects without waiting for running jobs: those return when their locks expire. BullMQ's close ends its timers
   * at once only if forced, and only its first call counts: so no other close may precede it.
   */
  async forceClose(): Promise<void> {
    await settlesWithin(this.#worker.close(true), DISCONNECT_PATIENCE_MS)
    this.#connection.disconnect()
  }

  async #drain(): Promise<void> {
    await this.#worker.pause()
    await this.forceClose()
  }
}

/** Errors of ioredis while Redis is down. It reconnects automatically, so they are not reported. */
const isOutage = (error: Error): boolean => /connection|ECONN|EPIPE|ENOENT/i.test(`${error.name} ${error.message}`)

/** `lostLocks` reports this once for all jobs, instead of at each renewal and again at the end of the job. */
const isLostLock = (error: Error): boolean => /could not renew lock|Missing lock|Lock mismatch/i.test(error.message)

const lostLocks = (ids: readonly string[]): Error =>
  new Error(
    `${ids.length} documents in progress lost their locks, because Redis was unreachable or this process was suspended: ` +
      'they return to the queue, and a received answer is not bought again',
  )
