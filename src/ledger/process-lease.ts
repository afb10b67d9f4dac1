import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { redisPrefix } from '#src/document/pipeline.ts'
import { LuaScript, type RedisClient } from './lua-script.ts'

export interface ProcessLeaseOptions {
  readonly connection: RedisClient
  readonly pipeline: string
  /** How long a process counts as alive after its last sign of life. */
  readonly leaseMs?: number
}

/** As long as the lock of a job, so that a dead worker's documents are free when its jobs are back. */
const LEASE_MS = 10_000

/** Longer than any process takes to connect again (`connectRedis` waits 1 s at most between two tries). */
const GRACE_MS = 1_500

const CLOSE_PATIENCE_MS = 500

/** Answer of a script that did not judge, because this process was out of touch: `settle`, then run it again. */
const ASK_AGAIN = -1

/**
 * For scripts that judge whether another process is dead; KEYS[2] is their own lease, ARGV[4] its length. A lease is
 * renewed at a third of its length: when another's ran out because Redis was away or frozen, ours is about to.
 */
export const IN_TOUCH = `
local function in_touch()
  return redis.call('GET', KEYS[2]) == '1' and redis.call('PTTL', KEYS[2]) > 0.4 * tonumber(ARGV[4])
end
`

/** Answers 1 while this process is in touch, 0 when it was not and has to settle. */
const RENEW = new LuaScript(`
local touch = '1'
if redis.call('GET', KEYS[1]) ~= '1' or redis.call('PTTL', KEYS[1]) <= 0.4 * tonumber(ARGV[1]) then touch = '0' end
redis.call('SET', KEYS[1], touch, 'PX', ARGV[1])
return tonumber(touch)
`)

/**
 * A sign of life of this process in Redis. What it holds there (claims, intents) is its own as long as the sign stands,
 * and free for others when it is gone: one key to renew, however much is held.
 *
 * While Redis is away or frozen every sign runs out, though the processes live. So a process that finds its own sign
 * late is out of touch: it renews the sign, judges nobody dead until all others had the time to do the same, and only
 * then is in touch again.
 */
export class ProcessLease {
  readonly id = randomUUID().slice(0, 13)
  readonly key: string
  readonly leaseMs: number
  readonly #client: RedisClient
  readonly #timer: NodeJS.Timeout
  readonly #held = new Set<symbol>()
  #settling: Promise<void> | null = null

  private constructor(options: ProcessLeaseOptions) {
    this.#client = options.connection
    this.leaseMs = options.leaseMs ?? LEASE_MS
    this.key = `${processKeyPrefix(options.pipeline)}${this.id}`
    this.#timer = setInterval(this.#renewSoon, this.leaseMs / 3).unref()
    this.#client.on('ready', this.#renewSoon)
  }

  static async open(options: ProcessLeaseOptions): Promise<ProcessLease> {
    const lease = new ProcessLease(options)
    await lease.#begin()
    return lease
  }

  /** Renews the sign; resolves when those of other processes can be trusted: at once, unless we were out of touch. */
  settle(): Promise<void> {
    this.#settling ??= this.#settle().finally(() => {
      this.#settling = null
    })
    return this.#settling
  }

  /** Something is under way that nobody else may begin, until the function returned is called. */
  hold(): () => void {
    const holding = Symbol()
    this.#held.add(holding)
    return () => void this.#held.delete(holding)
  }

  /**
   * What this process has left is free for others from now on. Where something is still under way, it is free only
   * when the sign has run out: a worker that is cut hands its jobs back while an answer may just be on its way to disk.
   */
  async close(): Promise<void> {
    clearInterval(this.#timer)
    this.#client.off('ready', this.#renewSoon)
    if (this.#held.size > 0) return
    const forgotten = this.#client.del(this.key).catch(() => undefined)
    // Where Redis is away the sign runs out by itself.
    await Promise.race([forgotten, sleep(CLOSE_PATIENCE_MS, undefined, { ref: false })])
  }

  async #settle(): Promise<void> {
    if (await this.#renew()) return
    await sleep(GRACE_MS)
    await this.#begin()
  }

  async #begin(): Promise<void> {
    await this.#client.set(this.key, '1', 'PX', this.leaseMs)
  }

  async #renew(): Promise<boolean> {
    return (await RENEW.run(this.#client, [this.key], [this.leaseMs])) === 1
  }

  /** Goes on while the process settles: out of touch, it is alive all the same. */
  readonly #renewSoon = (): void => {
    this.#renew()
      .then((touch) => (touch ? undefined : this.settle()))
      // A renewal that fails did so because the connection was closed for good: then the sign has to run out.
      .catch(() => undefined)
  }
}

/** A process `id` lives while the key of this prefix and its id is there. */
export const processKeyPrefix = (pipeline: string): string => `${redisPrefix(pipeline)}:process:`

/** Runs a script that judges other processes, as often as it takes until this one is in touch. */
export async function inTouch(lease: ProcessLease, run: () => Promise<unknown>): Promise<unknown> {
  for (;;) {
    const answer = await run()
    if (answer !== ASK_AGAIN) return answer
    await lease.settle()
  }
}
