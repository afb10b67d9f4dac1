import { z } from 'zod'

const count = z.int().min(0)
const ms = z.number().min(0)

/** The limiter of a hosted service, for all processes on its API key. */
const limiter = z.object({
  /** Short description of its state. */
  line: z.string(),
  windowMs: ms,
  /** Current rate limit in requests per window; null while no limit is known. */
  ratePerWindow: z.number().nullable(),
  rateLearned: z.boolean(),
  /** Current limit of requests in flight. */
  places: z.number(),
  placesLearned: z.boolean(),
  inFlight: count,
  /** Mean service time per document. */
  serviceMs: ms.nullable(),
  /** Since the first use of the API key, like `refused`. */
  admitted: count,
  refused: z.object({ rate: count, concurrency: count, unknown: count, queued: count }),
  /** End of a longer wait, epoch milliseconds; null without one. */
  waitsUntil: z.number().nullable(),
  /** `probeInMs`: null if no worker will send a probe. */
  shut: z.object({ cause: z.string(), probeInMs: z.number().nullable() }).nullable(),
})

const budget = z.object({
  /** `run`: the cap of the run (`--max-credits`). `month`: credits of this month on the API key. */
  scope: z.enum(['run', 'month']),
  limit: z.number().nullable(),
  spent: z.number(),
  /** Reserved for requests in flight. */
  held: z.number(),
})

const processActivity = z.object({
  process: z.string(),
  heartbeatMs: ms,
  /** Number of documents that it holds. */
  held: count,
  /** Oldest request first, at most 20. */
  documents: z.array(z.object({ key: z.string(), requestMs: ms.nullable() })),
})

/** The last run that added documents, and the causes of its halt; epoch milliseconds. */
const lastRun = z.object({
  /** `resumed`: it was halted, and a worker has continued since. */
  state: z.enum(['running', 'halted', 'resumed', 'complete', 'interrupted', 'failed', 'killed']),
  /** Null if only workers ran. */
  command: z.enum(['run', 'watch', 'retry']).nullable(),
  /** Address without a login; null for the embedded engine. */
  service: z.string().nullable(),
  startedAt: z.number().nullable(),
  /** Null while it runs; the last heartbeat of a killed process. */
  endedAt: z.number().nullable(),
  /** Cause of the halt; null without one. */
  cause: z.string().nullable(),
  haltedAt: z.number().nullable(),
  /** Summary in one sentence. */
  line: z.string(),
  /** Remedy; null if `line` names it. */
  next: z.string().nullable(),
})

/** Present state of the store's pipeline in Redis. */
export const liveStatus = z.object({
  source: z.string(),
  counts: z.object({ pending: count, done: count, partial: count, failed: count, skipped: count }),
  /** Skipped files by extension or reason; empty for a source of many thousand documents. */
  skippedBy: z.record(z.string(), count),
  /** Documents per second over the last minute, and the estimated time of the pending ones; null if unknown. */
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

/** Sample of the history; counters since the start of the run, or since the first use of the API key. */
export const liveSample = z.object({
  /** Epoch milliseconds. */
  at: z.number(),
  /** Number of documents with a final outcome. */
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

/** A running or runnable system; null if the store has no known source. */
export interface LivePipeline {
  readonly status: () => Promise<LiveStatus>
  /** At most the last hour, since the first poll of a page. */
  readonly history: () => readonly LiveSample[]
  readonly pause: () => Promise<void>
  readonly resume: () => Promise<void>
}

/** Number of kept samples: an hour of one per five seconds. */
const MAX_SAMPLES = 720

/** History of the limiter's state, from the first poll of this process on. */
export class LiveHistory {
  readonly #samples: LiveSample[] = []

  add(status: LiveStatus, at: number): void {
    this.#samples.push(sampleOf(status, at))
    if (this.#samples.length > MAX_SAMPLES) this.#samples.shift()
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
