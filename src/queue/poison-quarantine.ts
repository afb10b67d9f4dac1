/** Threshold of worker deaths that makes a document a suspect. */
const SUSPECT_AFTER_DEATHS = 2

/** Delay of a deferred suspect, per suspect that was deferred before it. */
const WAIT_MS_PER_DEFERRED = 100
const MAX_WAIT_MS = 2_000

export type Admission =
  /** The caller must call `leave` when the document is done. */
  { readonly kind: 'entered'; readonly leave: () => void } | { readonly kind: 'deferred'; readonly waitMs: number }

/**
 * Poison-pill quarantine. A document that kills its worker interrupts all others there, and they return together. To
 * find the poison pill, a process limits concurrent suspects: each further death halves their number. Most suspects are
 * innocent, so they must not wait for each other for longer than the search takes. From half of the allowed deaths on,
 * a suspect runs alone with documents that are not suspects, and only its own count grows.
 */
export class PoisonQuarantine {
  readonly #aloneFrom: number
  /** Number of deaths of each running suspect. */
  readonly #running: number[] = []
  #deferred = 0

  constructor(deathsAllowed: number) {
    this.#aloneFrom = Math.ceil(deathsAllowed / 2)
  }

  admit(deaths: number): Admission {
    if (deaths < SUSPECT_AFTER_DEATHS) return { kind: 'entered', leave: () => undefined }
    const together = Math.max(1, 2 ** (this.#aloneFrom - Math.max(deaths, ...this.#running)))
    if (this.#running.length >= together) {
      this.#deferred += 1
      return { kind: 'deferred', waitMs: Math.min(this.#deferred * WAIT_MS_PER_DEFERRED, MAX_WAIT_MS) }
    }
    this.#running.push(deaths)
    return { kind: 'entered', leave: () => this.#leave(deaths) }
  }

  #leave(deaths: number): void {
    this.#running.splice(this.#running.indexOf(deaths), 1)
    this.#deferred = 0
  }
}
