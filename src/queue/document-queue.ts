import { type JobsOptions, Queue } from 'bullmq'
import { hash } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { redisPrefix } from '#src/document/pipeline.ts'
import type { DocumentJob, JobQueue } from '#src/ports/queue.ts'
import type { RedisConnection } from '#src/redis/connection.ts'
import { isOverdue, type QueuedJob } from './due-time.ts'

/** The BullMQ queue of a pipeline is `<redisPrefix(pipeline)>:documents`. */
export const QUEUE_NAME = 'documents'

/** Name of the only kind of job. */
const JOB_NAME = 'ingest'

/** Sluice does not read the queue's event stream; BullMQ's default of 10,000 events would cost half a megabyte. */
export const EVENT_STREAM_LENGTH = 100

/**
 * When a document has used up its attempts is decided by `src/ingest/`, with a verdict. BullMQ's own limit must never
 * come first: it would end a job without a word to us. Each job keeps these in Redis, so they are few; the worker's
 * options say the rest.
 */
const JOB_OPTIONS: JobsOptions = { attempts: 1_000_000, backoff: { type: 'postponed' }, stackTraceLimit: 0 }

export interface DocumentQueueOptions {
  readonly connection: RedisConnection
  readonly pipeline: string
}

/** Jobs a round trip; more would block the other clients of Redis for too long. */
const BATCH = 1_000

/** Pause before a batch is added again whose answer was lost with the connection. */
const RETRY_DELAY_MS = 100

/** Jobs of each kind that are read in one go: more would keep a process busy. */
const MOST_READ = 200

/** The producing side of a pipeline's queue, and its switch. */
export class DocumentQueue implements JobQueue, AsyncDisposable {
  readonly #connection: RedisConnection
  readonly #queue: Queue<QueuedJob>

  constructor(options: DocumentQueueOptions) {
    this.#connection = options.connection
    this.#queue = new Queue<QueuedJob>(QUEUE_NAME, {
      connection: options.connection,
      prefix: redisPrefix(options.pipeline),
      defaultJobOptions: JOB_OPTIONS,
      streams: { events: { maxLen: EVENT_STREAM_LENGTH } },
    })
    // Connection errors come here as well as to the command that met them; the command is where they are handled.
    this.#queue.on('error', () => undefined)
  }

  async add(jobs: readonly DocumentJob[]): Promise<void> {
    for (let from = 0; from < jobs.length; from += BATCH) {
      const batch = jobs.slice(from, from + BATCH)
      await this.#addThroughOutages(batch.map((data) => ({ name: JOB_NAME, data, opts: { jobId: jobId(data) } })))
    }
  }

  async backlog(): Promise<number> {
    const states = ['waiting', 'prioritized', 'delayed', 'active'] as const
    const counts = await this.#queue.getJobCounts(...states)
    return states.reduce((sum, state) => sum + (counts[state] ?? 0), 0)
  }

  /**
   * Milliseconds since the oldest job was added; 0 without one. Some of each kind are read, and of the waiting ones from
   * both ends: postponed jobs go behind the backlog, so the oldest need not be the next.
   */
  async oldestMs(): Promise<number> {
    const kinds = ['waiting', 'active', 'delayed', 'prioritized'] as const
    const [next, last, now] = await Promise.all([
      this.#queue.getJobs([...kinds], 0, MOST_READ - 1, true),
      this.#queue.getJobs(['waiting'], 0, MOST_READ - 1),
      this.now(),
    ])
    return Math.max(0, now - Math.min(now, ...[...next, ...last].map(({ timestamp }) => timestamp)))
  }

  /** Jobs that a worker could take now. */
  async waiting(): Promise<number> {
    const { waiting = 0, prioritized = 0 } = await this.#queue.getJobCounts('waiting', 'prioritized')
    return waiting + prioritized
  }

  /**
   * Lets out delayed jobs that are overdue, of those that BullMQ has due last: there they are where a clock was ahead. A job
   * that 0.2.0 postponed says no time, and comes when BullMQ has it due.
   */
  async promoteOverdue(): Promise<void> {
    const [jobs, now] = await Promise.all([this.#queue.getJobs(['delayed'], 0, MOST_READ - 1), this.now()])
    const overdue = jobs.filter(({ data: { postponed } }) => postponed !== undefined && isOverdue(postponed, now))
    // One that is not delayed any more was let out by another process.
    await Promise.allSettled(overdue.map((job) => job.promote()))
  }

  /** Epoch milliseconds on the clock of Redis, which all processes share. */
  async now(): Promise<number> {
    const [seconds, microseconds] = await this.#connection.time()
    return Number(seconds) * 1_000 + Math.floor(Number(microseconds) / 1_000)
  }

  /** Stops all workers of the pipeline, on every machine, from starting another job. Outlives restarts. */
  async pause(): Promise<void> {
    await this.#queue.pause()
  }

  async resume(): Promise<void> {
    await this.#queue.resume()
  }

  /** Processes on any machine that take jobs of this pipeline now. */
  async workers(): Promise<number> {
    return this.#queue.getWorkersCount()
  }

  async paused(): Promise<boolean> {
    return this.#queue.isPaused()
  }

  /** Jobs and what BullMQ keeps besides are removed; for tests and for `--forget`. */
  async clear(): Promise<void> {
    await this.#queue.obliterate({ force: true })
  }

  /** Leaves the connection to its owner. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.#queue.close()
  }

  /**
   * ioredis rejects a pipeline that was in flight when the connection broke; whether Redis ran it is unknown. One that
   * waited for a restarted server finds its scripts forgotten. Job ids are deterministic, so adding is idempotent, and
   * the batch is sent again.
   */
  async #addThroughOutages(batch: Parameters<Queue<QueuedJob>['addBulk']>[0]): Promise<void> {
    for (;;) {
      try {
        await this.#queue.addBulk(batch)
        return
      } catch (error) {
        if (this.#connection.status === 'end' || !isOutage(error)) throw error
        await sleep(RETRY_DELAY_MS)
      }
    }
  }
}

/**
 * The same document, version and recipe have the same id, so adding a batch twice is harmless: BullMQ leaves a job
 * that waits or runs as it is. An id may hold no colon and may not be a number.
 */
export function jobId(job: Pick<DocumentJob, 'key' | 'version' | 'recipeHash'>): string {
  const name = JSON.stringify([job.key, job.version, job.recipeHash])
  return `d${hash('sha256', name, 'base64url').slice(0, 20)}`
}

function isOutage(error: unknown): boolean {
  return (
    error instanceof Error &&
    /connection|ECONN|EPIPE|NOSCRIPT|LOADING|CLUSTERDOWN|MISCONF|EXECABORT/i.test(error.message)
  )
}
