/** Sliding window over ended documents for the pace. */
const WINDOW_MS = 60_000
/** Minimum window: before, the first answers are still due and the estimate is too long. */
const MIN_MS = 5_000

/** Limits that hold documents back. */
export interface Limits {
  /** Rate that the gate admits, documents per millisecond; null while it knows no rate. */
  readonly perMs: number | null
  /** True during an outage, a halt or a pause, whose duration is unknown. */
  readonly isHeld: boolean
}

/**
 * Pace of documents and estimated time for the rest. Pure arithmetic: moments are milliseconds of a monotonic clock.
 */
export class Pace {
  readonly #moments: { readonly at: number; readonly total: number }[] = []
  #total = 0
  #known: number | null = null

  /**
   * `ended`: number of documents with an outcome. A document that changed and is pending again does not reduce it. Time
   * with `isHeld` is not representative: the window restarts.
   */
  note(ended: number, at: number, { isHeld }: Pick<Limits, 'isHeld'>): void {
    this.#total += Math.max(0, ended - (this.#known ?? ended))
    this.#known = ended
    if (isHeld) this.#moments.length = 0
    this.#moments.push({ at, total: this.#total })
    while ((this.#moments[1]?.at ?? at) <= at - WINDOW_MS) this.#moments.shift()
  }

  /** Documents per millisecond over the last minute. */
  get perMs(): number {
    const [first] = this.#moments
    return first === undefined || this.#spanMs === 0 ? 0 : (this.#total - first.total) / this.#spanMs
  }

  /** Null if unknown. */
  leftMs(pending: number, { perMs, isHeld }: Limits): number | null {
    const rate = Math.min(this.perMs, perMs ?? Infinity)
    return isHeld || pending === 0 || rate === 0 || this.#spanMs < MIN_MS ? null : pending / rate
  }

  get #spanMs(): number {
    return (this.#moments.at(-1)?.at ?? 0) - (this.#moments[0]?.at ?? 0)
  }
}
