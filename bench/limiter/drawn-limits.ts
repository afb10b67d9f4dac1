import { assertNever } from '#src/kit/assert-never.ts'
import type { RateLimit } from './draw.ts'

/** Slack against rounding: a wait that is over by less than this is over. Milliseconds. */
const EPSILON_MS = 1e-3

/** One rate limit of a drawn service. `factor` scales it: other clients of the key, a change of plan. */
export interface Limiter {
  /** 0 when the next request passes, else milliseconds until one would. */
  wait(now: number, factor: number): number
  take(now: number): void
  /** A request was refused, by whichever limit. */
  refused(now: number): void
}

export function limiterOf(limit: RateLimit): Limiter {
  switch (limit.kind) {
    case 'fixed':
    case 'first':
      return new Window(limit)
    case 'sliding':
      return new SlidingWindow(limit)
    case 'bucket':
      return new TokenBucket(limit)
    default:
      return assertNever(limit.kind)
  }
}

const scaled = (limit: number, factor: number): number => Math.max(1, Math.floor(limit * factor + 1e-9))

/** Counts from the clock's boundaries (`fixed`), or from the first request after the last window (`first`). */
class Window implements Limiter {
  readonly #limit: RateLimit
  #start = -Infinity
  #count = 0

  constructor(limit: RateLimit) {
    this.#limit = limit
  }

  wait(now: number, factor: number): number {
    const { windowMs } = this.#limit
    this.#turn(now)
    const isOver = now >= this.#start + windowMs
    return isOver || this.#count < scaled(this.#limit.limit, factor) ? 0 : this.#start + windowMs - now + EPSILON_MS
  }

  take(now: number): void {
    if (now >= this.#start + this.#limit.windowMs) {
      this.#start = now
      this.#count = 0
    }
    this.#count += 1
  }

  refused(): void {
    // Refused requests are not counted.
  }

  #turn(now: number): void {
    const { kind, windowMs, phaseMs } = this.#limit
    if (kind !== 'fixed') return
    const start = Math.floor((now + phaseMs) / windowMs) * windowMs - phaseMs
    if (start === this.#start) return
    this.#start = start
    this.#count = 0
  }
}

class SlidingWindow implements Limiter {
  readonly #limit: RateLimit
  #counted: number[] = []
  #oldest = 0

  constructor(limit: RateLimit) {
    this.#limit = limit
  }

  wait(now: number, factor: number): number {
    const { windowMs } = this.#limit
    while ((this.#counted[this.#oldest] ?? Infinity) <= now - windowMs) this.#oldest += 1
    if (this.#oldest > 5_000) {
      this.#counted = this.#counted.slice(this.#oldest)
      this.#oldest = 0
    }
    const over = this.#counted.length - this.#oldest - scaled(this.#limit.limit, factor)
    return over < 0 ? 0 : this.#counted[this.#oldest + over]! + windowMs - now + EPSILON_MS
  }

  take(now: number): void {
    this.#counted.push(now)
  }

  refused(now: number): void {
    if (this.#limit.penalty) this.#counted.push(now)
  }
}

class TokenBucket implements Limiter {
  readonly #limit: RateLimit
  #tokens: number
  #filledAt = 0

  constructor(limit: RateLimit) {
    this.#limit = limit
    this.#tokens = limit.burst
  }

  wait(now: number, factor: number): number {
    const perMs = (this.#limit.limit * factor) / this.#limit.windowMs
    this.#tokens = Math.min(this.#limit.burst, this.#tokens + (now - this.#filledAt) * perMs)
    this.#filledAt = now
    return this.#tokens >= 1 ? 0 : (1 - this.#tokens) / perMs + EPSILON_MS
  }

  take(): void {
    this.#tokens -= 1
  }

  /** A debt of up to a fifth of the bucket. */
  refused(): void {
    if (this.#limit.penalty) this.#tokens = Math.max(this.#tokens - 1, -0.2 * this.#limit.burst - 1)
  }
}
