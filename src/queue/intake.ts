/** Documents in work at a time when nearly all come back: one under way, and one to take its place. */
const FEWEST = 2

/** What a document that got through adds; one that came back takes away one. */
const GROWTH = 2

/** How long a place stays empty after a document that came back, while no more than the fewest are taken. */
const REST_MS = 1_000

/**
 * How many documents a worker takes at a time. A document that waits at the gate for long goes back to the queue, and
 * when it comes again its bytes are read again, which a bucket charges for. So where the service takes few, few are
 * taken: at most `GROWTH` come back for one that gets through. As soon as none comes back, the number trebles with each
 * round up to what was asked for.
 */
export class Intake {
  readonly #most: number
  #places: number

  constructor(most: number) {
    this.#most = most
    this.#places = most
  }

  get places(): number {
    return this.#places
  }

  gotThrough(): void {
    this.#places = Math.min(this.#most, this.#places + GROWTH)
  }

  /**
   * Answers for how long the place of this document stays empty. While nobody gets through (credits are out, the
   * service is away) documents come back at once, and without a rest the whole queue would be read again and again.
   */
  cameBack(): number {
    const fewest = Math.min(FEWEST, this.#most)
    const restMs = this.#places === fewest ? REST_MS : 0
    this.#places = Math.max(fewest, this.#places - 1)
    return restMs
  }
}
