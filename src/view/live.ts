import { z } from 'zod'

const count = z.int().min(0)
const ms = z.number().min(0)

/** The limiter of a hosted service, for all processes on its API key. */
const limiter = z.object({
  /** What it is doing, in a few words. */
  line: z.string(),
  windowMs: ms,
  /** Requests per window that are let through now; null while no limit is known. */
  ratePerWindow: z.number().nullable(),
  rateLearned: z.boolean(),
  /** Requests in flight that are let through now. */
  places: z.number(),
  placesLearned: z.boolean(),
  inFlight: count,
  /** Mean time that the service works on a document. */
  serviceMs: ms.nullable(),
  /** Since the API key was first used, as is `refused`. */
  admitted: count,
  refused: z.object({ rate: count, concurrency: count, unknown: count, queued: count }),
  /** When a longer wait ends, epoch milliseconds; null without one. */
  waitsUntil: z.number().nullable(),
  /** `probeInMs`: null where no worker will send a probe. */
  shut: z.object({ cause: z.string(), probeInMs: z.number().nullable() }).nullable(),
})

const budget = z.object({
  /** `run`: the cap of the run (`--max-credits`). `month`: credits of this month on the API key. */
  scope: z.enum(['run', 'month']),
  limit: z.number().nullable(),
  spent: z.number(),
  /** Reserved for what is in flight. */
  held: z.number(),
})

const processActivity = z.object({
  process: z.string(),
  heartbeatMs: ms,
  /** Documents that it holds. */
  held: count,
  /** The oldest requests first, at most 20. */
  documents: z.array(z.object({ key: z.string(), requestMs: ms.nullable() })),
})

/** The last run that brought documents in, and what halts the batch; epoch milliseconds. */
const lastRun = z.object({
  /** `resumed`: it was halted, and a worker has gone on since. */
  state: z.enum(['running', 'halted', 'resumed', 'complete', 'interrupted', 'failed', 'killed']),
  /** Null where only workers ran. */
  command: z.enum(['run', 'watch', 'retry']).nullable(),
  /** Address without a login; null for the embedded engine. */
  service: z.string().nullable(),
  startedAt: z.number().nullable(),
  /** Null while it runs; of a killed process its last heartbeat. */
  endedAt: z.number().nullable(),
  /** What halts the batch; null while nothing does. */
  cause: z.string().nullable(),
  haltedAt: z.number().nullable(),
  /** All of it in one sentence. */
  line: z.string(),
  /** What helps; null where the line says it. */
  next: z.string().nullable(),
})

/** Where the pipeline of the store stands now, as Redis knows it. */
export const liveStatus = z.object({
  source: z.string(),
  counts: z.object({ pending: count, done: count, partial: count, failed: count, skipped: count }),
  /** Skipped files by extension or reason; empty for a source of many thousand documents. */
  skippedBy: z.record(z.string(), count),
  /** Documents a second over the last minute, and how long the pending ones take; null where that cannot be known. */
  perSecond: z.number().min(0),
  leftMs: ms.nullable(),
  backlog: count,
  workers: count,
  paused: z.boolean(),
  /** Null before the first. */
  lastRun: lastRun.nullable(),
  /** Null with the embedded engine, which has no limits to learn. */
  limiter: limiter.nullable(),
  budgets: z.array(budget),
  processes: z.array(processActivity),
  outages: z.array(z.object({ dependency: z.string(), cause: z.string(), since: z.number() })),
})

/** A moment of the history; counters since the run began, or since the API key was first used. */
export const liveSample = z.object({
  /** Epoch milliseconds. */
  at: z.number(),
  /** Documents that came to an end. */
  settled: count,
  held: count,
  admitted: count.nullable(),
  refused: count.nullable(),
  ratePerMinute: z.number().nullable(),
  places: z.number().nullable(),
  inFlight: count.nullable(),
})

export type LiveStatus = z.infer<typeof liveStatus>
export type LiveSample = z.infer<typeof liveSample>

/** A running system, or one that could run: null where no source is known for the store. */
export interface LivePipeline {
  readonly status: () => Promise<LiveStatus>
  /** The last hour at the most, since a page first asked. */
  readonly history: () => readonly LiveSample[]
  readonly pause: () => Promise<void>
  readonly resume: () => Promise<void>
}

/** Moments that are kept: an hour of one each five seconds. */
const MOST_SAMPLES = 720

/** State of the limiter over time, since this process began to poll it. */
export class LiveHistory {
  readonly #samples: LiveSample[] = []

  add(status: LiveStatus, at: number): void {
    this.#samples.push(sampleOf(status, at))
    if (this.#samples.length > MOST_SAMPLES) this.#samples.shift()
  }

  get samples(): readonly LiveSample[] {
    return this.#samples
  }
}

function sampleOf({ counts, limiter: gate, processes }: LiveStatus, at: number): LiveSample {
  const { done, partial, failed, skipped } = counts
  const refused = gate === null ? null : Object.values(gate.refused).reduce((sum, value) => sum + value, 0)
  const rate = gate?.ratePerWindow ?? null
  return {
    at,
    settled: done + partial + failed + skipped,
    held: processes.reduce((sum, { held }) => sum + held, 0),
    admitted: gate?.admitted ?? null,
    refused,
    ratePerMinute: rate === null || gate === null ? null : (rate * 60_000) / gate.windowMs,
    places: gate?.places ?? null,
    inFlight: gate?.inFlight ?? null,
  }
}
