import { MAX_TIMEOUT_MS, type ParseOptions } from '#src/contract/options.ts'
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
