/** Worker deaths after which a document may be what kills them. */
const SUSPECT_AFTER_DEATHS = 2

/** Delay of a deferred suspect, for each one that was deferred before it. */
const WAIT_EACH_MS = 100
const LONGEST_WAIT_MS = 2_000

export type Admittance =
  /** `leave` is to be called when the document is through. */
  { readonly kind: 'entered'; readonly leave: () => void } | { readonly kind: 'deferred'; readonly waitMs: number }

/**
 * Poison-pill quarantine. A document that kills its worker interrupts all others there, and they come back together. To
 * find the poison pill among them, a process runs fewer suspects at a time the more deaths they were there at, half as
 * many with each: most are innocent, and must not wait for each other longer than it takes to find the one. From half
 * of the deaths that are allowed on a suspect is alone with documents that are none, and only its own count grows.
 */
export class PoisonQuarantine {
  readonly #aloneFrom: number
  /** Deaths of each that is running. */
  readonly #running: number[] = []
  #deferred = 0

  constructor(deathsAllowed: number) {
    this.#aloneFrom = Math.ceil(deathsAllowed / 2)
  }

  enter(deaths: number): Admittance {
    if (deaths < SUSPECT_AFTER_DEATHS) return { kind: 'entered', leave: () => undefined }
    const together = Math.max(1, 2 ** (this.#aloneFrom - Math.max(deaths, ...this.#running)))
    if (this.#running.length >= together) {
      this.#deferred += 1
      return { kind: 'deferred', waitMs: Math.min(this.#deferred * WAIT_EACH_MS, LONGEST_WAIT_MS) }
    }
    this.#running.push(deaths)
    return { kind: 'entered', leave: () => this.#leave(deaths) }
  }

  #leave(deaths: number): void {
    this.#running.splice(this.#running.indexOf(deaths), 1)
    this.#deferred = 0
  }
}
