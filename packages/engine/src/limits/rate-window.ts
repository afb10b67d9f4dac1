export const WINDOW_MS = 60_000

export type RateDecision =
  | { readonly allowed: true }
  | { readonly allowed: false; readonly consumed: number; readonly retryAfterMs: number }

/**
 * A fixed-window rate limiter: requests per minute, in windows of 60 s, the same as in the hosted service. A refused
 * request counts too, so the count of a client that continues grows.
 */
export class RateWindow {
  readonly #limit: number
  #windowStart = Number.NEGATIVE_INFINITY
  #consumed = 0

  constructor(requestsPerMinute: number) {
    this.#limit = requestsPerMinute
  }

  take(nowMs: number): RateDecision {
    if (nowMs - this.#windowStart >= WINDOW_MS) {
      this.#windowStart = nowMs
      this.#consumed = 0
    }
    this.#consumed += 1
    if (this.#consumed <= this.#limit) return { allowed: true }
    return { allowed: false, consumed: this.#consumed, retryAfterMs: this.#windowStart + WINDOW_MS - nowMs }
  }
}
