import { type Job, Queue, WaitingError, Worker } from 'bullmq'
import { redisPrefix } from '#src/document/pipeline.ts'
import { SetupError } from '#src/document/setup-error.ts'
import { type RedisConnection, duplicateConnection } from '#src/redis/connection.ts'
import { EVENT_STREAM_LENGTH } from './document-queue.ts'

export interface ScheduleOptions {
  readonly connection: RedisConnection
  readonly pipeline: string
  /** `10m`, `1h`, or a cron pattern, in the time zone of this machine. */
  readonly every: string
  /** Heartbeat timeout, ms: a process silent for this long is considered dead, and another one takes over its tick. */
  readonly takeoverMs: number
  /** Runs the due work. On abort of `signal` it throws soon: another process then takes the tick. */
  readonly onTick: (dueAt: Date, signal: AbortSignal) => Promise<void>
  /** Called at the start and after each tick with the time of the next one. */
  readonly onNext: (dueAt: Date) => void
  readonly onError: (error: unknown) => void
  /** Registers a listener for data losses of Redis; the schedule is then created again, and a tick is due at once. */
  readonly onLoss: (listener: () => void) => () => void
}

/** The BullMQ queue of a pipeline's ticks is `<redisPrefix(pipeline)>:ticks`. */
const QUEUE_NAME = 'ticks'

/** A single schedule per pipeline, last write wins: a process that starts with another one changes it for all. */
const SCHEDULER_ID = 'scan'

/**
 * Keeps a schedule until `signal` aborts, together with all processes of the same pipeline: one of them runs each tick,
 * one tick at a time. Ticks due during another tick coalesce into one after it. Ticks due while no process kept the
 * schedule are lost. Another process repeats the tick of a dead one.
 *
 * @throws {Error} if `every` is neither a duration nor a cron pattern
 */
export async function keepSchedule(options: ScheduleOptions, signal: AbortSignal): Promise<void> {
  const prefix = redisPrefix(options.pipeline)
  const connection = duplicateConnection(options.connection)
  const streams = { events: { maxLen: EVENT_STREAM_LENGTH } }
  const queue = new Queue(QUEUE_NAME, { connection: options.connection, prefix, streams })
  queue.on('error', () => undefined)
  const worker = new Worker(QUEUE_NAME, (job, token) => tick(job, token, options, signal), {
    connection,
    prefix,
    autorun: false,
    lockDuration: options.takeoverMs,
    stalledInterval: 0.4 * options.takeoverMs,
    maxStalledCount: Number.MAX_SAFE_INTEGER,
    removeOnComplete: { count: 0 },
    removeOnFail: { count: 0 },
  })
  // Connection errors are temporary: commands wait until Redis returns.
  worker.on('error', () => undefined)
  try {
    await queue.setGlobalConcurrency(1)
    await schedule(queue, readTimetable(options.every), options.every)
    const announce = (): void =>
      void announceNext(queue, options.onNext).catch((error: unknown) => {
        if (!signal.aborted) options.onError(error)
      })
    announce()
    worker.on('completed', announce)
    const running = worker.run()
    const restore = (): void => void restored(queue, options.every).catch(options.onError)
    const stopListening = options.onLoss(restore)
    await aborted(signal)
    stopListening()
    await worker.close()
    await running
  } finally {
    await worker.close()
    await queue.close()
    connection.disconnect()
  }
}

/** Runs in every process of the schedule; the ids ensure that one tick is due. */
async function restored(queue: Queue, every: string): Promise<void> {
  await queue.setGlobalConcurrency(1)
  await schedule(queue, readTimetable(every), every)
  await queue.add(SCHEDULER_ID, {}, { jobId: 'after-loss', removeOnComplete: true, removeOnFail: true })
}

async function schedule(queue: Queue, timetable: Timetable, text: string): Promise<void> {
  try {
    await queue.upsertJobScheduler(SCHEDULER_ID, timetable, { name: SCHEDULER_ID })
  } catch (cause) {
    throw new SetupError(`"${text}" is neither a duration (10m, 1h) nor a cron pattern ("0 2 * * *")`, { cause })
  }
}

async function announceNext(queue: Queue, onNext: ScheduleOptions['onNext']): Promise<void> {
  const next = (await queue.getJobScheduler(SCHEDULER_ID))?.next
  if (next !== undefined && next > Date.now()) onNext(new Date(next))
}

async function tick(
  job: Job,
  token: string | undefined,
  { onTick, onError }: ScheduleOptions,
  signal: AbortSignal,
): Promise<void> {
  try {
    signal.throwIfAborted()
    await onTick(new Date(job.timestamp + (job.opts.delay ?? 0)), signal)
  } catch (error) {
    if (signal.aborted) {
      await job.moveToWait(token)
      throw new WaitingError()
    }
    // The next tick retries.
    onError(error)
  }
}

async function aborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return
  const abortion = Promise.withResolvers<void>()
  signal.addEventListener('abort', () => abortion.resolve(), { once: true })
  await abortion.promise
}

/** Interval in milliseconds, or a cron pattern. */
type Timetable = { readonly every: number } | { readonly pattern: string }

const UNIT_MS: Readonly<Record<string, number>> = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 }

/**
 * Parses `30s`, `10m`, `1h`, `2d`. Any other text counts as a cron pattern of five fields, or six with seconds first,
 * in the time zone of this machine. BullMQ validates the pattern.
 */
export function readTimetable(text: string): Timetable {
  const duration = /^(\d+)\s*([smhd])$/.exec(text.trim())
  const every = Number(duration?.[1] ?? 0) * (UNIT_MS[duration?.[2] ?? ''] ?? 0)
  return every > 0 ? { every } : { pattern: text.trim() }
}
