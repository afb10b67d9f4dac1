import type { RedisClient } from './scripts.ts'

/** Renewals that may fail, or come late, before a process counts as dead. */
const RENEWALS = 3

/**
 * Heartbeat of this process. When the process dies, however that happens, its places in flight are free for other
 * processes after `aliveMs`. A process that stalled for so long finds its places handed on: a request or two too many
 * are then in flight, which the service refuses and does not charge.
 */
export class Heartbeat implements AsyncDisposable {
  readonly #redis: RedisClient
  readonly #key: string
  readonly #aliveMs: number
  readonly #timer: NodeJS.Timeout

  private constructor(redis: RedisClient, key: string, aliveMs: number) {
    this.#redis = redis
    this.#key = key
    this.#aliveMs = aliveMs
    // Other commands report that Redis is away.
    this.#timer = setInterval(() => void this.renew().catch(() => undefined), aliveMs / RENEWALS)
    this.#timer.unref()
  }

  static async start(redis: RedisClient, key: string, aliveMs: number): Promise<Heartbeat> {
    const heartbeat = new Heartbeat(redis, key, aliveMs)
    await heartbeat.renew()
    return heartbeat
  }

  async [Symbol.asyncDispose](): Promise<void> {
    clearInterval(this.#timer)
    await this.#redis.del(this.#key)
  }

  async renew(): Promise<void> {
    await this.#redis.set(this.#key, '1', 'PX', this.#aliveMs)
  }
}
