import { setTimeout as sleep } from 'node:timers/promises'

/** Upper bound of a pause that a site states. */
const MAX_PAUSE_MS = 120_000

const FIRST_PAUSE_MS = 1_000

/**
 * Schedules requests to a site: at least `delayMs` apart, a limited number at once, and none during a pause that the
 * site states.
 */
export class SitePace {
  #delayMs: number
  #sentAt = Number.NEGATIVE_INFINITY
  #nextAt = 0
  #refusals = 0
  #free: number
  readonly #waiting: (() => void)[] = []

  constructor(delayMs: number, connections: number) {
    this.#delayMs = delayMs
    this.#free = connections
  }

  /** A longer delay applies from the last request on. */
  slowDown(delayMs: number): void {
    this.#delayMs = Math.max(this.#delayMs, delayMs)
    this.#nextAt = Math.max(this.#nextAt, this.#sentAt + this.#delayMs)
  }

  /** Waits for a connection, then for the pace. The disposal of the turn releases its connection. */
  async takeTurn(signal: AbortSignal): Promise<Disposable> {
    while (this.#free === 0) await new Promise<void>((resolve) => this.#waiting.push(resolve))
    this.#free -= 1
    const release = (): void => {
      this.#free += 1
      this.#waiting.shift()?.()
    }
    try {
      await this.#waitForPace(signal)
    } catch (error) {
      release()
      throw error
    }
    return { [Symbol.dispose]: release }
  }

  async #waitForPace(signal: AbortSignal): Promise<void> {
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

  /**
   * The site throttled a request: all requests pause for its `Retry-After`, else with a backoff of 1, 2, 4 … s. Returns
   * the pause, in ms.
   */
  recordRefusal(retryAfter: string | null): number {
    const statedMs = retryAfterMs(retryAfter) ?? FIRST_PAUSE_MS * 2 ** Math.min(this.#refusals, 6)
    this.#refusals += 1
    const now = performance.now()
    this.#nextAt = Math.max(this.#nextAt, now + Math.min(statedMs, MAX_PAUSE_MS))
    return Math.round(this.#nextAt - now)
  }

  /** The delay counts from here: a busy machine may send a request some ms after its turn. */
  recordSent(): void {
    this.#sentAt = performance.now()
    this.#nextAt = Math.max(this.#nextAt, this.#sentAt + this.#delayMs)
  }

  /**
   * The next request also waits for the delay after this answer: a request reaches the site later than it was sent,
   * by the time of a new connection.
   */
  recordAnswer(isRefusal: boolean): void {
    if (!isRefusal) this.#refusals = 0
    this.#nextAt = Math.max(this.#nextAt, performance.now() + this.#delayMs)
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
