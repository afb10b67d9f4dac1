import { type Job, Queue, Worker } from 'bullmq'
import { redisPrefix } from '#src/document/pipeline.ts'
import { type RedisConnection, duplicateConnection } from '#src/redis/connection.ts'
import { settlesWithin } from '#src/redis/settles-within.ts'

export interface NoticeQueueOptions<Notice> {
  readonly connection: RedisConnection
  readonly pipeline: string
  /** Throws if the receiver did not take the notice: it is sent again later. */
  readonly send: (notice: Notice) => Promise<void>
  /** `full`: a notice was dropped, because too many wait. `given-up`: its last attempt failed. */
  readonly onLost: (reason: 'full' | 'given-up') => void
}

/** The BullMQ queue of a pipeline's notices is `<redisPrefix(pipeline)>:notices`. */
const QUEUE_NAME = 'notices'

/** Maximum number of waiting notices: a receiver that is away for long must not fill Redis. */
const MAX_WAITING = 100_000

/** Number of notices between two reads of their count. */
const COUNT_EVERY = 1_000

/** A notice is sent for about a day: again after 1 s, 2 s, 4 s, and so on, then every 10 minutes. */
const ATTEMPTS = 150
const MAX_BACKOFF_MS = 600_000

const CONCURRENCY = 4

/** Heartbeat timeout of a process that sends a notice. */
const LOCK_MS = 15_000

/** Time that the end of a process leaves for waiting notices. The next process sends the rest. */
const FLUSH_MS = 5_000
const LOOK_MS = 50

/**
 * Delivers notices at least once each. Redis keeps them through failures of the receiver and ends of processes. No run
 * waits for a receiver, except for `FLUSH_MS` at its end.
 */
export class NoticeQueue<Notice extends { readonly id: string }> implements AsyncDisposable {
  readonly #onLost: NoticeQueueOptions<Notice>['onLost']
  readonly #queue: Queue<Notice>
  readonly #worker: Worker<Notice>
  readonly #connection: RedisConnection
  readonly #adding = new Set<Promise<void>>()
  /** Upper bound of the number of waiting notices. */
  #waiting = 0

  constructor({ connection, pipeline, send, onLost }: NoticeQueueOptions<Notice>) {
    this.#onLost = onLost
    this.#connection = duplicateConnection(connection)
    const prefix = redisPrefix(pipeline)
    this.#queue = new Queue(QUEUE_NAME, { connection, prefix, streams: { events: { maxLen: 10 } } })
    this.#worker = new Worker(QUEUE_NAME, ({ data }: Job<Notice>) => send(data), {
      connection: this.#connection,
      prefix,
      concurrency: CONCURRENCY,
      // Another process repeats the notice of a dead one, any number of times.
      lockDuration: LOCK_MS,
      stalledInterval: LOCK_MS / 2,
      maxStalledCount: Number.MAX_SAFE_INTEGER,
      removeOnComplete: { count: 0 },
      removeOnFail: { count: 0 },
      settings: { backoffStrategy: (attempts) => Math.min(MAX_BACKOFF_MS, 1_000 * 2 ** (attempts - 1)) },
    })
    // Redis reconnects by itself; commands wait until then.
    this.#queue.on('error', () => undefined)
    this.#worker.on('error', () => undefined)
    this.#worker.on('failed', (job) => {
      if (job !== undefined && job.attemptsMade >= ATTEMPTS) onLost('given-up')
    })
  }

  /** Never blocks its caller, and never throws. */
  add(notice: Notice): void {
    if (this.#waiting % COUNT_EVERY === 0) this.#keep(this.#count())
    this.#waiting += 1
    if (this.#waiting > MAX_WAITING) return this.#onLost('full')
    const options = { jobId: notice.id, attempts: ATTEMPTS, backoff: { type: 'notice' }, stackTraceLimit: 0 }
    // BullMQ types the name and the data of a job by the queue's own type.
    this.#keep((this.#queue as Queue).add('notice', notice, options).then(() => undefined))
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await settlesWithin(this.#flush(), FLUSH_MS)
    await settlesWithin(this.#worker.close(true), FLUSH_MS)
    this.#connection.disconnect()
  }

  #keep(work: Promise<void>): void {
    const kept = work.catch(() => undefined).finally(() => this.#adding.delete(kept))
    this.#adding.add(kept)
  }

  async #count(): Promise<void> {
    const counts = await this.#queue.getJobCounts('waiting', 'delayed', 'active')
    this.#waiting = Object.values(counts).reduce((sum, count) => sum + count, 0)
  }

  async #flush(): Promise<void> {
    await Promise.all(this.#adding)
    for (;;) {
      const { waiting = 0, active = 0 } = await this.#queue.getJobCounts('waiting', 'active')
      if (waiting + active === 0) return
      await new Promise((resolve) => setTimeout(resolve, LOOK_MS))
    }
  }
}
