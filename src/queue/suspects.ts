/** Worker deaths after which a document may be what kills them. */
const SUSPECT_AFTER_DEATHS = 2

/**
 * A document that kills its worker takes all the others there down with it, and they come back together. To tell the
 * one from the others, a process has only one document at a time that was there at several deaths; so only one such is
 * there at the next, and only its count grows.
 */
export class Suspects {
  #running = false

  /** False when a suspect has to wait; otherwise call the result of `enter` when the document is through. */
  enter(deaths: number): (() => void) | null {
    if (deaths < SUSPECT_AFTER_DEATHS) return () => undefined
    if (this.#running) return null
    this.#running = true
    return () => {
      this.#running = false
    }
  }
}
