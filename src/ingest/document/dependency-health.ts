import type { SourceKey } from '#src/document/ids.ts'

/** Measures the time of consecutive failures, without a success in between. */
export class FailureStreak {
  readonly #now: () => number
  #since: number | null = null

  /** `now`: milliseconds of a monotonic clock. */
  constructor(now: () => number) {
    this.#now = now
  }

  recordSuccess(): void {
    this.#since = null
  }

  /** Records a failure, and returns the milliseconds since the first one. */
  recordFailure(): number {
    this.#since ??= this.#now()
    return this.#now() - this.#since
  }
}

/** Maximum number of remembered failed documents. Beyond it, the complete source or store is unavailable. */
const MAX_FAILED = 10_000

/**
 * Infers the health of source and store from the outcomes of this process's documents. If one document fails on them
 * while others succeed, it is the cause and uses an attempt: a broken object must not return forever. If none succeeds,
 * no document is the cause, and all return unchanged.
 */
export class DependencyHealth {
  readonly #now: () => number
  /** Start time of each document that has failed since. */
  readonly #failed = new Map<SourceKey, number>()
  readonly #streak: FailureStreak
  #succeededAt = -Infinity

  /** `now`: milliseconds of a monotonic clock. */
  constructor(now: () => number) {
    this.#now = now
    this.#streak = new FailureStreak(now)
  }

  /** Returns the start time of a document: now. */
  startTime(): number {
    return this.#now()
  }

  /** A document reached a verdict. */
  recordSuccess(key: SourceKey): void {
    this.#failed.delete(key)
    this.#succeededAt = this.#now()
    this.#streak.recordSuccess()
  }

  /**
   * A document that started at `begunAt` reached no verdict. Null if another did since its start or first failure.
   * Otherwise returns the milliseconds since the first failure without a success.
   */
  recordFailure(key: SourceKey, begunAt: number): number | null {
    const since = this.#failed.get(key) ?? begunAt
    this.#failed.delete(key)
    if (this.#succeededAt > since) return null
    if (this.#failed.size >= MAX_FAILED) this.#failed.clear()
    this.#failed.set(key, since)
    return this.#streak.recordFailure()
  }
}
