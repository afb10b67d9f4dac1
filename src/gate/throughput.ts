/** Permits that are older, and came before the last four reads, say nothing of the present throughput; milliseconds. */
const RECENT_MS = 10_000

/** Documents are read ahead for so many times as long as a read takes, within these bounds in milliseconds. */
const READS = 4
const SHORTEST_MS = 250
/** A document that waits for longer goes back to the queue, and is read again. */
const LONGEST_MS = 60_000
/** Weight of the latest read in the mean. */
const WEIGHT = 0.2

/** Most permits that are remembered, and so the most documents that are read ahead. */
const MOST = 128

/**
 * How many documents a process may read before they have a permit: those that its present throughput takes in the time of
 * four reads, and never more than the permits it got in the last ten seconds, or in that time where it is longer. With
 * reads of a few milliseconds that is none below four permits a second.
 */
export class Throughput {
  readonly #passedAt: number[] = []
  #readMs = 0

  /** A document got its permit, or turned out to need none. `now`: monotonic milliseconds. */
  passed(now: number): void {
    this.#passedAt.push(now)
    if (this.#passedAt.length > MOST) this.#passedAt.shift()
  }

  /** Milliseconds from when a document may be read until it asks for its permit, or is done with and needed none. */
  readTook(ms: number): void {
    this.#readMs += WEIGHT * (ms - this.#readMs)
  }

  readAhead(now: number): number {
    const aheadMs = Math.min(Math.max(SHORTEST_MS, READS * this.#readMs), LONGEST_MS)
    while ((this.#passedAt[0] ?? now) < now - Math.max(RECENT_MS, aheadMs)) this.#passedAt.shift()
    const [oldest] = this.#passedAt
    const count = this.#passedAt.length
    if (oldest === undefined || count < 2) return 0
    const perMs = (count - 1) / Math.max(1, now - oldest)
    return Math.min(count, Math.floor(perMs * aheadMs))
  }
}
