/** Documents that ended in so long say how fast it goes. */
const WINDOW_MS = 60_000
/** Before so much of it the first answers are still due: what they say is too long. */
const LEAST_MS = 5_000

/** What holds documents back. */
export interface Limits {
  /** What the gate lets through, documents a millisecond; null while it knows no rate. */
  readonly perMs: number | null
  /** An outage, a halt or a pause keeps documents back: how long it lasts is not known. */
  readonly isHeld: boolean
}

/** How fast documents end, and how long the others take. Pure arithmetic: moments are milliseconds of a monotonic clock. */
export class Pace {
  readonly #moments: { readonly at: number; readonly total: number }[] = []
  #total = 0
  #known: number | null = null

  /**
   * `ended`: documents with an outcome. One that changed and is pending again takes nothing off. What is `isHeld` says
   * nothing about the time after it: the window begins anew.
   */
  note(ended: number, at: number, { isHeld }: Pick<Limits, 'isHeld'>): void {
    this.#total += Math.max(0, ended - (this.#known ?? ended))
    this.#known = ended
    if (isHeld) this.#moments.length = 0
    this.#moments.push({ at, total: this.#total })
    while ((this.#moments[1]?.at ?? at) <= at - WINDOW_MS) this.#moments.shift()
  }

  /** Documents a millisecond over the last minute. */
  get perMs(): number {
    const [first] = this.#moments
    return first === undefined || this.#spanMs === 0 ? 0 : (this.#total - first.total) / this.#spanMs
  }

  /** Null where it cannot be known. */
  leftMs(pending: number, { perMs, isHeld }: Limits): number | null {
    const rate = Math.min(this.perMs, perMs ?? Infinity)
    return isHeld || pending === 0 || rate === 0 || this.#spanMs < LEAST_MS ? null : pending / rate
  }

  get #spanMs(): number {
    return (this.#moments.at(-1)?.at ?? 0) - (this.#moments[0]?.at ?? 0)
  }
}
