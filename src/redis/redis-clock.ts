import type { RedisConnection } from './connection.ts'

/** After so long the time is read again: two machines' clocks drift apart. */
const FRESH_MS = 60_000

/** When wall and monotonic clock differ by more, the wall clock was set, or sleep stopped the monotonic one. */
const LEAST_JUMP_MS = 1_000

interface Reading {
  /** Epoch milliseconds of Redis minus `performance.now()`. */
  readonly aheadMs: number
  readonly steadyMs: number
  readonly wallMs: number
}

/**
 * Epoch milliseconds as Redis counts them, for what is kept in Redis and due at a time: all processes agree on it,
 * whatever their wall clocks show. Counted by the monotonic clock from a reading that is renewed after a minute, after
 * a new connection (the server may be another one), and after the machine slept.
 */
export class RedisClock {
  readonly #connection: RedisConnection
  #reading: Reading | null = null
  #pending: Promise<Reading> | null = null

  constructor(connection: RedisConnection) {
    this.#connection = connection
    connection.on('ready', () => (this.#reading = null))
  }

  async now(): Promise<number> {
    const { aheadMs } = this.#fresh() ?? (await (this.#pending ??= this.#read().finally(() => (this.#pending = null))))
    return Math.round(aheadMs + performance.now())
  }

  #fresh(): Reading | null {
    const { steadyMs, wallMs } = this.#reading ?? { steadyMs: -Infinity, wallMs: 0 }
    const passedMs = performance.now() - steadyMs
    if (passedMs > FRESH_MS || Math.abs(Date.now() - wallMs - passedMs) > LEAST_JUMP_MS) return null
    return this.#reading
  }

  async #read(): Promise<Reading> {
    const [seconds, microseconds] = await this.#connection.time()
    const steadyMs = performance.now()
    const aheadMs = Number(seconds) * 1_000 + Number(microseconds) / 1_000 - steadyMs
    this.#reading = { aheadMs, steadyMs, wallMs: Date.now() }
    return this.#reading
  }
}
