/** Minimum number of concurrent documents while nearly all are postponed: one in flight, and one to follow it. */
const FEWEST = 2

/**
 * Increase per completed document: at first, and right after a postponed one. A postponed document decreases the number
 * by one.
 */
const GROWTH = 2
const MIN_GROWTH = 0.1

/** Recovery rate of growth while documents complete and none is postponed. */
const GROWTH_RECOVERY = 1.05

/** Time that a slot stays empty after a postponed document, at the minimum concurrency. */
const REST_MS = 1_000

/**
 * Adaptive concurrency: the number of documents that a worker takes at a time. A document that waits at the gate for
 * long returns to the queue. The worker later reads its bytes again, which a bucket charges for. The worker therefore
 * takes few while the service takes few: about one document is postponed per ten completed ones. Without postponements
 * the number soon trebles with each round, up to the configured maximum.
 */
export class AdaptiveConcurrency {
  readonly #most: number
  #slots: number
  #growth = GROWTH

  constructor(most: number) {
    this.#most = most
    this.#slots = most
  }

  get slots(): number {
    return Math.floor(this.#slots)
  }

  onCompleted(): void {
    this.#slots = Math.min(this.#most, this.#slots + this.#growth)
    this.#growth = Math.min(GROWTH, this.#growth * GROWTH_RECOVERY)
  }

  /**
   * Returns the time that the slot of this document stays empty. While none completes (out of credits, an outage of the
   * service) documents return at once. Without a rest the worker would read the complete queue again and again.
   */
  onPostponed(): number {
    const fewest = Math.min(FEWEST, this.#most)
    const restMs = this.slots <= fewest ? REST_MS : 0
    this.#slots = Math.max(fewest, this.#slots - 1)
    this.#growth = MIN_GROWTH
    return restMs
  }
}
