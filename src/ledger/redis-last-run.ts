import { redisPrefix } from '#src/document/pipeline.ts'
import type { HaltCause } from '#src/document/verdict.ts'
import { processKeyPrefix } from './process-lease.ts'
import type { RedisClient } from '#src/redis/lua-script.ts'

/** Result of a run. */
export type RunEnding =
  | { readonly kind: 'complete' | 'interrupted' }
  | { readonly kind: 'halted'; readonly cause: HaltCause; readonly message: string }
  | { readonly kind: 'failed'; readonly message: string }

/** The last process that added documents to the queue. */
export interface LastRun {
  readonly command: 'run' | 'watch' | 'retry'
  /** Address of the service without a login; null for the embedded engine. */
  readonly service: string | null
  /** Digest that names the gate of that service and key (`gateDigest`). */
  readonly gate: string
  readonly process: string
  /** Epoch milliseconds, like `at`. */
  readonly startedAt: number
  /** Null while it runs, and after it was killed. */
  readonly end: (RunEnding & { readonly at: number }) | null
}

/** Reason why the batch is halted. */
export interface Halt {
  readonly cause: HaltCause
  readonly message: string
  /** Epoch milliseconds. */
  readonly since: number
}

export interface LastRunReport {
  readonly run: LastRun | null
  /** Last heartbeat of a process that was killed: it is gone without a recorded result. */
  readonly killedAt: number | null
  /** Present until a run starts or a worker makes progress. */
  readonly halts: readonly Halt[]
}

/** The last run of a pipeline and the causes of its halt, for later processes without its settings. */
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

  /** Clears the causes of earlier halts: the new run checks them again. */
  async recordStart(run: LastRun): Promise<void> {
    await this.#client.set(this.#runKey, JSON.stringify(run))
    await this.#client.del(this.#haltsKey)
  }

  /** No effect if another run has started since. */
  async recordEnd(process: string, end: NonNullable<LastRun['end']>): Promise<void> {
    const run = await this.#run()
    if (run?.process === process) await this.#client.set(this.#runKey, JSON.stringify({ ...run, end }))
  }

  /** False if any process halted the batch for this cause before. */
  async recordHalt({ cause, ...halt }: Halt): Promise<boolean> {
    return (await this.#client.hsetnx(this.#haltsKey, cause, JSON.stringify(halt))) === 1
  }

  async halts(): Promise<readonly Halt[]> {
    const halts = await this.#client.hgetall(this.#haltsKey)
    return Object.entries(halts).map(([cause, text]) => ({
      cause: cause as HaltCause,
      ...(JSON.parse(text) as Omit<Halt, 'cause'>),
    }))
  }

  /** A request succeeded after these halts: clears them, unless the batch was halted again. */
  async clearHalts(known: readonly Halt[]): Promise<void> {
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
