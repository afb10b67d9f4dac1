import { redisPrefix } from '#src/document/pipeline.ts'
import type { HaltCause } from '#src/document/verdict.ts'
import { processKeyPrefix } from './process-lease.ts'
import type { RedisClient } from '#src/redis/lua-script.ts'

/** How a run ended. */
export type RunEnding =
  | { readonly kind: 'complete' | 'interrupted' }
  | { readonly kind: 'halted'; readonly cause: HaltCause; readonly message: string }
  | { readonly kind: 'failed'; readonly message: string }

/** The last process that brought documents into the queue. */
export interface LastRun {
  readonly command: 'run' | 'watch' | 'retry'
  /** Where it sends documents: address without a login; null for the embedded engine. */
  readonly service: string | null
  /** Names the gate of that service and key (`gateDigest`). */
  readonly gate: string
  readonly process: string
  /** Epoch milliseconds, as `at`. */
  readonly startedAt: number
  /** Null while it runs, and where it was killed. */
  readonly end: (RunEnding & { readonly at: number }) | null
}

/** Why the batch stands still. */
export interface Halt {
  readonly cause: HaltCause
  readonly message: string
  /** Epoch milliseconds. */
  readonly since: number
}

export interface LastRunReport {
  readonly run: LastRun | null
  /** Last heartbeat of its process, where that is gone without having said how it ended: it was killed. */
  readonly killedAt: number | null
  /** Until a run begins, or a worker goes on. */
  readonly halts: readonly Halt[]
}

/** The last run of a pipeline and what halted it, for processes that come after it and know none of its settings. */
export class RedisLastRun {
  readonly #client: RedisClient
  readonly #processKeys: string
  readonly #epochKey: string
  readonly #runKey: string
  readonly #haltsKey: string

  constructor({ connection, pipeline }: { readonly connection: RedisClient; readonly pipeline: string }) {
    this.#client = connection
    const prefix = redisPrefix(pipeline)
    this.#processKeys = processKeyPrefix(pipeline)
    this.#epochKey = `${prefix}:epoch`
    this.#runKey = `${prefix}:last-run`
    this.#haltsKey = `${prefix}:halts`
  }

  /** What halted an earlier run is over: it is asked anew. */
  async begun(run: LastRun): Promise<void> {
    await this.#client.set(this.#runKey, JSON.stringify(run))
    await this.#client.del(this.#haltsKey)
  }

  /** Nothing where another run has begun since. */
  async ended(process: string, end: NonNullable<LastRun['end']>): Promise<void> {
    const run = await this.#run()
    if (run?.process === process) await this.#client.set(this.#runKey, JSON.stringify({ ...run, end }))
  }

  /** False where the batch was halted for this cause before, by any process. */
  async halted({ cause, ...halt }: Halt): Promise<boolean> {
    return (await this.#client.hsetnx(this.#haltsKey, cause, JSON.stringify(halt))) === 1
  }

  async halts(): Promise<readonly Halt[]> {
    const halts = await this.#client.hgetall(this.#haltsKey)
    return Object.entries(halts).map(([cause, text]) => ({
      cause: cause as HaltCause,
      ...(JSON.parse(text) as Omit<Halt, 'cause'>),
    }))
  }

  /** A request went through since these: they are over, unless the batch was halted anew. */
  async wentOn(known: readonly Halt[]): Promise<void> {
    for (const { cause, since } of await this.halts()) {
      if (known.some((halt) => halt.cause === cause && halt.since === since)) {
        await this.#client.hdel(this.#haltsKey, cause)
      }
    }
  }

  async read(): Promise<LastRunReport> {
    const run = await this.#run()
    const halts = await this.halts()
    if (run === null || run.end !== null) return { run, killedAt: null, halts }
    const isAlive = await this.#client.exists(`${this.#processKeys}${run.process}`)
    if (isAlive === 1) return { run, killedAt: null, halts }
    const beat = await this.#client.hget(this.#epochKey, `p:${run.process}`)
    return { run, killedAt: Number(/:(\d+)$/.exec(beat ?? '')?.[1] ?? run.startedAt), halts }
  }

  async #run(): Promise<LastRun | null> {
    const text = await this.#client.get(this.#runKey)
    return text === null ? null : (JSON.parse(text) as LastRun)
  }
}
