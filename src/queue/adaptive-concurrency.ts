/** Documents in work at a time when nearly all come back: one in flight, and one to follow it. */
const FEWEST = 2

/** What a document that got through adds, and what it adds right after one came back; one that came back takes away one. */
const GROWTH = 2
const LEAST_GROWTH = 0.1

/** How fast growth recovers while documents get through and none comes back. */
const GROWTH_RECOVERY = 1.05

/** How long a slot stays empty after a document that came back, while no more than the fewest are taken. */
const REST_MS = 1_000

/**
 * Adaptive concurrency: how many documents a worker takes at a time. A document that waits at the gate for long goes
 * back to the queue, and when it comes again its bytes are read again, which a bucket charges for. So where the service
 * takes few, few are taken: about one in ten comes back for one that gets through. While none comes back, the number
 * soon trebles with each round up to what was asked for.
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
   * Returns for how long the slot of this document stays empty. While none gets through (credits are out, the service
   * is away) documents come back at once, and without a rest the whole queue would be read again and again.
   */
  onPostponed(): number {
    const fewest = Math.min(FEWEST, this.#most)
    const restMs = this.slots <= fewest ? REST_MS : 0
    this.#slots = Math.max(fewest, this.#slots - 1)
    this.#growth = LEAST_GROWTH
    return restMs
  }
}
