import type { SourceKey } from '#src/document/ids.ts'

/** For how long something has failed without one success. */
export class FailingSince {
  readonly #now: () => number
  #since: number | null = null

  /** `now`: milliseconds of a monotonic clock. */
  constructor(now: () => number) {
    this.#now = now
  }

  worked(): void {
    this.#since = null
  }

  /** It failed once more; milliseconds since the first failure. */
  failedForMs(): number {
    this.#since ??= this.#now()
    return this.#now() - this.#since
  }
}

/** Documents whose failure is remembered; with more of them than this all source or store is away. */
const MOST_FAILED = 10_000

/**
 * Whether source and store can be used, inferred from how the documents of this process fare. Where one fails on them while
 * others get through, it is to blame itself, and that uses an attempt: a broken object must not come again for ever.
 * While none gets through no document is to blame, and all come again as they were.
 */
export class DependencyHealth {
  readonly #now: () => number
  /** When a document that has failed since was begun. */
  readonly #failed = new Map<SourceKey, number>()
  readonly #failing: FailingSince
  #workedAt = -Infinity

  /** `now`: milliseconds of a monotonic clock. */
  constructor(now: () => number) {
    this.#now = now
    this.#failing = new FailingSince(now)
  }

  /** A document begins, at this moment. */
  begin(): number {
    return this.#now()
  }

  /** A document came to a verdict of its own. */
  worked(key: SourceKey): void {
    this.#failed.delete(key)
    this.#workedAt = this.#now()
    this.#failing.worked()
  }

  /**
   * A document that was begun at `begunAt` came to none. Null where another did since then, or since this one first
   * failed; otherwise for how many milliseconds none has.
   */
  failed(key: SourceKey, begunAt: number): number | null {
    const since = this.#failed.get(key) ?? begunAt
    this.#failed.delete(key)
    if (this.#workedAt > since) return null
    if (this.#failed.size >= MOST_FAILED) this.#failed.clear()
    this.#failed.set(key, since)
    return this.#failing.failedForMs()
  }
}
