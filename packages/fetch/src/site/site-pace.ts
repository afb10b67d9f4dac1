import { setTimeout as sleep } from 'node:timers/promises'

/** Upper bound of a pause that a site states. */
const MAX_PAUSE_MS = 120_000

const FIRST_PAUSE_MS = 1_000

/** Schedules requests to a site: at least `delayMs` apart, and none during a pause that the site states. */
export class SitePace {
  #delayMs: number
  #sentAt = Number.NEGATIVE_INFINITY
  #nextAt = 0
  #refusals = 0

  constructor(delayMs: number) {
    this.#delayMs = delayMs
  }

  /** A longer delay applies from the last request on. */
  slowDown(delayMs: number): void {
    this.#delayMs = Math.max(this.#delayMs, delayMs)
    this.#nextAt = Math.max(this.#nextAt, this.#sentAt + this.#delayMs)
  }

  async waitForTurn(signal: AbortSignal): Promise<void> {
    for (;;) {
      signal.throwIfAborted()
      const now = performance.now()
      if (now >= this.#nextAt) {
        this.#sentAt = now
        this.#nextAt = now + this.#delayMs
        return
      }
      await sleep(this.#nextAt - now, undefined, { signal })
    }
  }

  /** The site throttled a request: all requests pause for its `Retry-After`, else with a backoff of 1, 2, 4 … s. */
  recordRefusal(retryAfter: string | null): void {
    const pauseMs = retryAfterMs(retryAfter) ?? FIRST_PAUSE_MS * 2 ** Math.min(this.#refusals, 6)
    this.#refusals += 1
    this.#nextAt = Math.max(this.#nextAt, performance.now() + Math.min(pauseMs, MAX_PAUSE_MS))
  }

  recordAnswer(): void {
    this.#refusals = 0
  }
}

/** Parses `Retry-After`, in seconds or as a date (RFC 9110, 10.2.3). */
function retryAfterMs(header: string | null): number | null {
  if (header === null) return null
  const seconds = Number(header)
  if (Number.isFinite(seconds)) return Math.max(0, seconds * 1000)
  const at = Date.parse(header)
  return Number.isNaN(at) ? null : Math.max(0, at - Date.now())
}
