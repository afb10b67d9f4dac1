/** Outputs are held back for no longer than this, in milliseconds. */
const LONGEST_MS = 100

/**
 * Requests go first. Where the service takes few at a time, their answers come in bursts, and a slot stays empty until
 * its next request is out: so what makes outputs of an answer (its receipt is safe by then) waits while a request is
 * about to go out, and is done while the service works. One at a time, so that a request never waits for more than one.
 */
export class RequestPriority {
  #urgent = 0
  #scheduled = false
  readonly #waiting: (() => void)[] = []

  /** Something is on its way to a request, until `work` ends. */
  async runUrgent<T>(work: Promise<T>): Promise<T> {
    this.#urgent += 1
    try {
      return await work
    } finally {
      this.#urgent -= 1
      this.#schedule()
    }
  }

  /** Resolves when no request is about to go out, or after `LONGEST_MS`. */
  async yieldToUrgent(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>()
    const enough = setTimeout(() => {
      this.#waiting.splice(this.#waiting.indexOf(resolve), 1)
      resolve()
    }, LONGEST_MS)
    this.#waiting.push(resolve)
    this.#schedule()
    await promise
    clearTimeout(enough)
  }

  #schedule(): void {
    if (this.#scheduled || this.#urgent > 0 || this.#waiting.length === 0) return
    this.#scheduled = true
    setImmediate(() => {
      this.#scheduled = false
      if (this.#urgent === 0) this.#waiting.shift()?.()
      this.#schedule()
    })
  }
}
