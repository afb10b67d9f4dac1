import { MAX_TIMEOUT_MS, type ParseOptions } from '@sluice/contract'
import type { SourceKey } from '#src/document/ids.ts'

/** Documents that are remembered; the longest known goes first, and begins again with the time that its options say. */
const MOST = 10_000

/**
 * How often the service ran out of time (408) for a document, as far as this process has seen. Only that is a reason to
 * give it more: after an outage a longer time-out would only hold a worker for longer.
 */
export class TimedOut {
  readonly #times = new Map<SourceKey, number>()

  ranOut(key: SourceKey): void {
    const times = (this.#times.get(key) ?? 0) + 1
    this.#times.delete(key)
    this.#times.set(key, times)
    const [oldest] = this.#times.keys()
    if (this.#times.size > MOST && oldest !== undefined) this.#times.delete(oldest)
  }

  came(key: SourceKey): void {
    this.#times.delete(key)
  }

  /** The options with twice the time for each 408, up to what the contract allows. */
  optionsFor(key: SourceKey, options: ParseOptions): ParseOptions {
    const timeout = Math.min(options.timeout * 2 ** (this.#times.get(key) ?? 0), MAX_TIMEOUT_MS)
    return timeout === options.timeout ? options : { ...options, timeout }
  }
}

/** Longest that a run waits for one site; its documents are left to the next run otherwise. */
export const LONGEST_PAUSE_MS = 600_000

/** Sites that asked to be left alone for a time (`Retry-After`), as far as this process has seen. */
export class SitePauses {
  readonly #untilMs = new Map<string, number>()
  readonly #monotonic: () => number

  constructor(monotonic: () => number) {
    this.#monotonic = monotonic
  }

  asked(address: string, forMs: number): void {
    const now = this.#monotonic()
    for (const [host, until] of this.#untilMs) if (until <= now) this.#untilMs.delete(host)
    this.#untilMs.set(new URL(address).host, now + forMs)
  }

  leftMs(address: string): number {
    if (this.#untilMs.size === 0) return 0
    return Math.max(0, (this.#untilMs.get(new URL(address).host) ?? 0) - this.#monotonic())
  }
}
