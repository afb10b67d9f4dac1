import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { redisPrefix } from '#src/document/pipeline.ts'
import type { RedisClient } from './lua-script.ts'

export interface ProcessLeaseOptions {
  readonly connection: RedisClient
  readonly pipeline: string
  /** How long a process counts as alive after its last sign of life. */
  readonly leaseMs?: number
}

/** As long as the lock of a job, so that a dead worker's documents are free when its jobs are back. */
const LEASE_MS = 10_000

/** Longer than any process takes to connect again (`connectRedis` waits 1 s at most between two tries). */
const RECONNECT_GRACE_MS = 1_500

/**
 * A sign of life of this process in Redis. What it holds there (claims, intents) is its own as long as the sign stands,
 * and free for others when it is gone: one key to renew, however much is held.
 *
 * While Redis is away every sign runs out, though the processes live. So after an outage each process renews its own
 * at once, and nobody judges another one dead before all had the time to do so (`settled`).
 */
export class ProcessLease {
  readonly id = randomUUID().slice(0, 13)
  readonly key: string
  readonly leaseMs: number
  readonly #client: RedisClient
  readonly #timer: NodeJS.Timeout
  #settledAt = 0

  private constructor(options: ProcessLeaseOptions) {
    this.#client = options.connection
    this.leaseMs = options.leaseMs ?? LEASE_MS
    this.key = `${processKeyPrefix(options.pipeline)}${this.id}`
    this.#timer = setInterval(this.#renew, this.leaseMs / 3).unref()
    this.#client.on('close', this.#outage)
    this.#client.on('ready', this.#back)
  }

  static async open(options: ProcessLeaseOptions): Promise<ProcessLease> {
    const lease = new ProcessLease(options)
    await lease.renew()
    return lease
  }

  async renew(): Promise<void> {
    await this.#client.set(this.key, '1', 'PX', this.leaseMs)
  }

  /** Resolves when the signs of other processes can be trusted: at once, unless Redis was away a moment ago. */
  async settled(): Promise<void> {
    for (;;) {
      const waitMs = this.#settledAt - Date.now()
      if (waitMs <= 0) return
      await sleep(Math.min(waitMs, RECONNECT_GRACE_MS))
    }
  }

  /** What this process still holds is free for others from now on. */
  async close(): Promise<void> {
    clearInterval(this.#timer)
    this.#client.off('close', this.#outage)
    this.#client.off('ready', this.#back)
    await this.#client.del(this.key)
  }

  readonly #outage = (): void => {
    this.#settledAt = Date.now() + RECONNECT_GRACE_MS
  }

  readonly #back = (): void => {
    this.#renew()
    this.#settledAt = Date.now() + RECONNECT_GRACE_MS
  }

  readonly #renew = (): void => {
    // A renewal that fails did so because the connection was closed for good: then the sign has to run out.
    this.renew().catch(() => undefined)
  }
}

/** A process `id` lives while the key of this prefix and its id is there. */
export const processKeyPrefix = (pipeline: string): string => `${redisPrefix(pipeline)}:process:`
