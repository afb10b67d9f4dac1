import type { JobsOptions, Queue } from 'bullmq'
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

/**
 * Maximum length of the queue's event stream, which Sluice does not read; BullMQ's default of 10,000 events would cost
 * half a megabyte.
 */
export const EVENT_STREAM_LENGTH = 100

/**
 * `src/ingest/` decides the last attempt of a document, with a verdict. BullMQ's own limit must never apply first: it
 * would end a job silently. Each job keeps these options in Redis, so they are few; the worker has the others.
 */
const JOB_OPTIONS: JobsOptions = { attempts: 1_000_000, backoff: { type: 'postponed' }, stackTraceLimit: 0 }

export interface DocumentQueueOptions {
  readonly connection: RedisConnection
  readonly pipeline: string
}

/** Maximum number of jobs per round trip; more would block the other clients of Redis for too long. */
const BATCH = 1_000

/** Pause before the retry of a batch whose reply was lost with the connection. */
const RETRY_DELAY_MS = 100

/** Maximum number of jobs of each kind per read: more would block a process. */
const MAX_READ = 200

/** Producer side of a pipeline's queue, and its pause switch. */
export class DocumentQueue implements JobQueue, AsyncDisposable {
  readonly #connection: RedisConnection
  readonly #prefix: string
  #opened: Promise<Queue<QueuedJob>> | null = null

  constructor(options: DocumentQueueOptions) {
    this.#connection = options.connection
    this.#prefix = redisPrefix(options.pipeline)
  }

  async add(jobs: readonly DocumentJob[]): Promise<void> {
    for (let from = 0; from < jobs.length; from += BATCH) {
      const batch = jobs.slice(from, from + BATCH)
      await this.#addThroughOutages(batch.map((data) => ({ name: JOB_NAME, data, opts: { jobId: jobId(data) } })))
    }
  }

  async backlog(): Promise<number> {
    const states = ['waiting', 'prioritized', 'delayed', 'active'] as const
    const counts = await (await this.#queue()).getJobCounts(...states)
    return states.reduce((sum, state) => sum + (counts[state] ?? 0), 0)
  }

  /**
   * Age of the oldest job in milliseconds; 0 without one. Reads a sample of each kind, and both ends of the waiting
   * list. Postponed jobs go behind the backlog, so the oldest need not be the next.
   */
  async oldestMs(): Promise<number> {
    const kinds = ['waiting', 'active', 'delayed', 'prioritized'] as const
    const queue = await this.#queue()
    const [next, last, now] = await Promise.all([
      queue.getJobs([...kinds], 0, MAX_READ - 1, true),
      queue.getJobs(['waiting'], 0, MAX_READ - 1),
      this.now(),
    ])
    return Math.max(0, now - Math.min(now, ...[...next, ...last].map(({ timestamp }) => timestamp)))
  }

  /** Number of jobs that a worker could take now. */
  async waiting(): Promise<number> {
    const { waiting = 0, prioritized = 0 } = await (await this.#queue()).getJobCounts('waiting', 'prioritized')
    return waiting + prioritized
  }

  /**
   * Promotes overdue delayed jobs among those that BullMQ schedules last: a clock that was ahead puts them there. A
   * postponed job of 0.2.0 has no time, and runs on BullMQ's schedule.
   */
  async promoteOverdue(): Promise<void> {
    const [jobs, now] = await Promise.all([(await this.#queue()).getJobs(['delayed'], 0, MAX_READ - 1), this.now()])
    const overdue = jobs.filter(({ data: { postponed } }) => postponed !== undefined && isOverdue(postponed, now))
    // A job that is not delayed any more was promoted by another process.
    await Promise.allSettled(overdue.map((job) => job.promote()))
  }

  /** Epoch milliseconds on the clock of Redis, which all processes share. */
  async now(): Promise<number> {
    const [seconds, microseconds] = await this.#connection.time()
    return Number(seconds) * 1_000 + Math.floor(Number(microseconds) / 1_000)
  }

  /** Stops all workers of the pipeline, on every machine, from starting another job. It outlives restarts. */
  async pause(): Promise<void> {
    await (await this.#queue()).pause()
  }

  async resume(): Promise<void> {
    await (await this.#queue()).resume()
  }

  /** Number of processes on any machine that take jobs of this pipeline. */
  async workers(): Promise<number> {
    return (await this.#queue()).getWorkersCount()
  }

  async paused(): Promise<boolean> {
    return (await this.#queue()).isPaused()
  }

  /** Removes all jobs and other data of BullMQ; for tests and for `--forget`. */
  async clear(): Promise<void> {
    await (await this.#queue()).obliterate({ force: true })
  }

  /** Leaves the connection to its owner. */
  async [Symbol.asyncDispose](): Promise<void> {
    await (await this.#opened)?.close()
  }

  /** Loaded at the first use, because BullMQ has 240 modules and some commands need none. */
  #queue(): Promise<Queue<QueuedJob>> {
    return (this.#opened ??= this.#open())
  }

  async #open(): Promise<Queue<QueuedJob>> {
    const bullmq = await import('bullmq')
    const queue = new bullmq.Queue<QueuedJob>(QUEUE_NAME, {
      connection: this.#connection,
      prefix: this.#prefix,
      defaultJobOptions: JOB_OPTIONS,
      streams: { events: { maxLen: EVENT_STREAM_LENGTH } },
    })
    // Connection errors also reject the command that met them, and the command handles them.
    queue.on('error', () => undefined)
    return queue
  }

  /**
   * ioredis rejects a pipeline that was in flight when the connection broke; it is unknown if Redis ran it. A pipeline
   * that waited for a restarted server finds an empty script cache. Job ids are deterministic, so adding is idempotent,
   * and this method retries the batch.
   */
  async #addThroughOutages(batch: Parameters<Queue<QueuedJob>['addBulk']>[0]): Promise<void> {
    for (;;) {
      try {
        await (await this.#queue()).addBulk(batch)
        return
      } catch (error) {
        if (this.#connection.status === 'end' || !isOutage(error)) throw error
        await sleep(RETRY_DELAY_MS)
      }
    }
  }
}

/**
 * Deterministic id of a document, version and recipe, which makes adding idempotent: BullMQ leaves a waiting or running
 * job unchanged. An id must not contain a colon or be a number.
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
