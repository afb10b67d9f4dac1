import { assertNever } from '#src/document/assert-never.ts'

/*
 * The four ways in which services count requests per minute. Shared by the simulated service and the real one of
 * the limiter bench. All times in milliseconds.
 */

export type WindowKind = 'fixed' | 'first' | 'sliding' | 'bucket'

export interface RateWindow {
  /** Changes with the plan. */
  limit: number
  /** 0 when the request is accepted, and then counted; else milliseconds until it would be. */
  take(now: number): number
}

export function rateWindow(kind: WindowKind, limit: number, windowMs: number, phaseMs = 0): RateWindow {
  switch (kind) {
    case 'fixed':
      return new AlignedWindow(limit, windowMs, (now) => now - ((now + phaseMs) % windowMs))
    case 'first':
      return new AlignedWindow(limit, windowMs, (now) => now)
    case 'sliding':
      return new SlidingWindow(limit, windowMs)
    case 'bucket':
      return new TokenBucket(limit, windowMs)
    default:
      return assertNever(kind)
  }
}

/** Counts in windows of the clock (`fixed`), or in windows that the first request after the last one opens. */
class AlignedWindow implements RateWindow {
  limit: number
  readonly #windowMs: number
  readonly #startOf: (now: number) => number
  #start = -Infinity
  #count = 0

  constructor(limit: number, windowMs: number, startOf: (now: number) => number) {
    this.limit = limit
    this.#windowMs = windowMs
    this.#startOf = startOf
  }

  take(now: number): number {
    if (now >= this.#start + this.#windowMs) {
      this.#start = this.#startOf(now)
      this.#count = 0
    }
    if (this.#count >= this.limit) return this.#start + this.#windowMs - now
    this.#count += 1
    return 0
  }
}

/** Reads back one window from every request. */
class SlidingWindow implements RateWindow {
  limit: number
  readonly #windowMs: number
  readonly #accepted: number[] = []
  #oldest = 0

  constructor(limit: number, windowMs: number) {
    this.limit = limit
    this.#windowMs = windowMs
  }

  take(now: number): number {
    const since = now - this.#windowMs
    while ((this.#accepted[this.#oldest] ?? Infinity) <= since) this.#oldest += 1
    const count = this.#accepted.length - this.#oldest
    if (count >= this.limit) {
      return Math.max((this.#accepted[this.#oldest + count - this.limit] ?? now) - since, 1)
    }
    this.#accepted.push(now)
    return 0
  }
}

/** Fills evenly; holds a sixth of the window's requests for a burst. */
class TokenBucket implements RateWindow {
  limit: number
  readonly #windowMs: number
  #tokens: number
  #filledAt: number | null = null

  constructor(limit: number, windowMs: number) {
    this.limit = limit
    this.#windowMs = windowMs
    this.#tokens = Math.max(1, limit / 6)
  }

  take(now: number): number {
    const perMs = this.limit / this.#windowMs
    const filled = this.#tokens + (now - (this.#filledAt ?? now)) * perMs
    this.#tokens = Math.min(Math.max(1, this.limit / 6), filled)
    this.#filledAt = now
    if (this.#tokens < 1) return (1 - this.#tokens) / perMs
    this.#tokens -= 1
    return 0
  }
}
