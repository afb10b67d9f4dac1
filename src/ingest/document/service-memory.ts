import { MAX_TIMEOUT_MS, type ParseOptions } from '@sluice/contract'
import type { SourceKey } from '#src/document/ids.ts'

/** Cache size: evicts the oldest document, which then starts again with the time in its options. */
const MAX_DOCUMENTS = 10_000

/**
 * Counts the timeouts (408) of the service per document in this process. Only these justify more time: after an outage,
 * a longer timeout would only block a worker for longer.
 */
export class TimeoutMemory {
  readonly #times = new Map<SourceKey, number>()

  recordTimeout(key: SourceKey): void {
    const times = (this.#times.get(key) ?? 0) + 1
    this.#times.delete(key)
    this.#times.set(key, times)
    const [oldest] = this.#times.keys()
    if (this.#times.size > MAX_DOCUMENTS && oldest !== undefined) this.#times.delete(oldest)
  }

  recordAnswer(key: SourceKey): void {
    this.#times.delete(key)
  }

  /** Doubles the time in the options for each 408, up to the contract's maximum. */
  optionsFor(key: SourceKey, options: ParseOptions): ParseOptions {
    const timeout = Math.min(options.timeout * 2 ** (this.#times.get(key) ?? 0), MAX_TIMEOUT_MS)
    return timeout === options.timeout ? options : { ...options, timeout }
  }
}

/** Maximum time in milliseconds that a run waits for one site; the next run takes the rest of its documents. */
export const MAX_PAUSE_MS = 600_000

/** Pauses that sites requested (`Retry-After`) in this process. */
export class SitePauses {
  readonly #untilMs = new Map<string, number>()
  readonly #monotonic: () => number

  constructor(monotonic: () => number) {
    this.#monotonic = monotonic
  }

  recordPause(address: string, forMs: number): void {
    const now = this.#monotonic()
    for (const [host, until] of this.#untilMs) if (until <= now) this.#untilMs.delete(host)
    this.#untilMs.set(new URL(address).host, now + forMs)
  }

  remainingMs(address: string): number {
    if (this.#untilMs.size === 0) return 0
    return Math.max(0, (this.#untilMs.get(new URL(address).host) ?? 0) - this.#monotonic())
  }
}
