import type { RedisClient } from './scripts.ts'

/** Number of renewals within `aliveMs`: a process counts as dead only after it misses all of them. */
const RENEWALS = 3

/**
 * Heartbeat of this process. When the process dies, its places become free for other processes after `aliveMs`. A
 * process that stalls for that long loses its places, too: the service then refuses a request or two, free of charge.
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
    // Other commands report a lost connection to Redis.
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
