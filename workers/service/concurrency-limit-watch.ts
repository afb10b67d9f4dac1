import { setTimeout as sleep } from 'node:timers/promises'
import type { Events } from '#src/events.ts'

export interface ConcurrencyLimitWatchOptions {
  /** Reads the concurrency limit in documents; null if the service reports none. Has its timeout. */
  readonly read: (signal: AbortSignal) => Promise<number | null>
  readonly onLimit: (limit: number) => void
  /** Least time between two readings. */
  readonly leastMs: number
  /** A monotonic clock, in milliseconds. */
  readonly now?: () => number
}

/** Timeout of the first request for the limit; a later answer still counts. */
const START_PATIENCE_MS = 500

/**
 * Reads the concurrency limit of an API key: once before the first request, so an idle process sends nothing. Reads it
 * again in the background after a refusal by a limit (429) or for credits (402), because another plan has other limits.
 * At most one reading starts per `leastMs`. A failed reading changes nothing.
 */
export class ConcurrencyLimitWatch implements Disposable {
  readonly #options: ConcurrencyLimitWatchOptions
  readonly #now: () => number
  readonly #stopped = new AbortController()
  #first: Promise<unknown> | null = null
  #nextAt = Number.NEGATIVE_INFINITY

  constructor(options: ConcurrencyLimitWatchOptions) {
    this.#options = options
    this.#now = options.now ?? (() => performance.now())
  }

  /** Listens to the answers of a pipeline until the watch is disposed of. */
  follow(events: Events): void {
    events.on('request:throttled', ({ to }) => to === 'parser' && this.refused())
    events.on('run:halted', ({ cause }) => {
      if (cause === 'credits') this.refused()
    })
  }

  /** Called before each request: the first ones wait for the limit, 500 ms at most. */
  async known(signal: AbortSignal): Promise<void> {
    this.#first ??= this.#begin()
    await this.#first
    signal.throwIfAborted()
  }

  refused(): void {
    if (this.#now() >= this.#nextAt && !this.#stopped.signal.aborted) void this.#read()
  }

  [Symbol.dispose](): void {
    this.#stopped.abort()
  }

  async #begin(): Promise<void> {
    const over = new AbortController()
    await Promise.race([this.#read(), sleep(START_PATIENCE_MS, undefined, { signal: over.signal })])
    over.abort()
  }

  async #read(): Promise<void> {
    const { read, onLimit, leastMs } = this.#options
    this.#nextAt = this.#now() + leastMs
    const limit = await read(this.#stopped.signal).catch(() => null)
    if (limit !== null && !this.#stopped.signal.aborted) onLimit(limit)
  }
}
