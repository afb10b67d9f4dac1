import { Queue } from 'bullmq'
import { setTimeout as sleep } from 'node:timers/promises'
import { redisPrefix } from '#src/document/pipeline.ts'
import type { DocumentJob, JobQueue } from '#src/ports/queue.ts'
import { addJobs } from './add-jobs.ts'
import type { RedisConnection } from '#src/redis/connection.ts'
import { promoteMistimed } from './mistimed-jobs.ts'
import { oldestJobMs } from './oldest-job.ts'
import { EVENT_STREAM_LENGTH, QUEUE_NAME } from './queue-layout.ts'

export interface DocumentQueueOptions {
  readonly connection: RedisConnection
  readonly pipeline: string
}

/** Jobs a round trip; more would block the other clients of Redis for too long. */
const BATCH = 1_000

/** Pause before a batch is added again whose answer was lost with the connection. */
const RETRY_DELAY_MS = 100

/** The producing side of a pipeline's queue, and its switch. */
export class DocumentQueue implements JobQueue, AsyncDisposable {
  readonly #connection: RedisConnection
  readonly #queue: Queue<DocumentJob>

  constructor(options: DocumentQueueOptions) {
    this.#connection = options.connection
    this.#queue = new Queue<DocumentJob>(QUEUE_NAME, {
      connection: options.connection,
      prefix: redisPrefix(options.pipeline),
      streams: { events: { maxLen: EVENT_STREAM_LENGTH } },
    })
    // Connection errors come here as well as to the command that met them; the command is where they are handled.
    this.#queue.on('error', () => undefined)
  }

  async add(jobs: readonly DocumentJob[]): Promise<readonly DocumentJob[]> {
    const added: DocumentJob[] = []
    for (let from = 0; from < jobs.length; from += BATCH) {
      const batch = jobs.slice(from, from + BATCH)
      const there = new Set(await this.#addThroughOutages(batch))
      added.push(...batch.filter((job) => !there.has(job)))
    }
    return added
  }

  async backlog(): Promise<number> {
    const states = ['waiting', 'prioritized', 'delayed', 'active'] as const
    const counts = await this.#queue.getJobCounts(...states)
    return states.reduce((sum, state) => sum + (counts[state] ?? 0), 0)
  }

  /** Milliseconds since the oldest job was added; 0 without one. */
  async oldestMs(): Promise<number> {
    return oldestJobMs(this.#queue, this.#connection)
  }

  /** Jobs that a worker could take now. */
  async waiting(): Promise<number> {
    const { waiting = 0, prioritized = 0 } = await this.#queue.getJobCounts('waiting', 'prioritized')
    return waiting + prioritized
  }

  /** Lets out the delayed jobs whose time is wrong (`mistimed-jobs.ts`). */
  async promoteMistimed(): Promise<void> {
    await promoteMistimed(this.#queue, this.#connection)
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
   * the batch is sent again. Jobs that are there then may be those of the first try: none is reported as there before.
   */
  async #addThroughOutages(batch: readonly DocumentJob[]): Promise<readonly DocumentJob[]> {
    for (let isFirst = true; ; isFirst = false) {
      try {
        const there = await addJobs(this.#queue, this.#connection, batch)
        return isFirst ? there : []
      } catch (error) {
        if (this.#connection.status === 'end' || !isOutage(error)) throw error
        await sleep(RETRY_DELAY_MS)
      }
    }
  }
}

function isOutage(error: unknown): boolean {
  return (
    error instanceof Error &&
    /connection|ECONN|EPIPE|NOSCRIPT|LOADING|CLUSTERDOWN|MISCONF|EXECABORT/i.test(error.message)
  )
}
