/** Maximum delay of outputs, in milliseconds. */
const MAX_MS = 100

/**
 * Gives requests priority over outputs. With few concurrent requests, answers of the service arrive in bursts, and a
 * slot stays empty until its next request is out. Work that derives outputs (their receipt is safe by then) therefore
 * yields to a request in preparation, and runs while the service works. It runs one at a time, so a request waits for
 * at most one.
 */
export class RequestPriority {
  #urgent = 0
  #scheduled = false
  readonly #waiting: (() => void)[] = []

  /** Marks `work` on the way to a request as urgent, until it ends. */
  async runUrgent<T>(work: Promise<T>): Promise<T> {
    this.#urgent += 1
    try {
      return await work
    } finally {
      this.#urgent -= 1
      this.#schedule()
    }
  }

  /** Resolves when no request is in preparation, or after `MAX_MS`. */
  async yieldToUrgent(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>()
    const enough = setTimeout(() => {
      this.#waiting.splice(this.#waiting.indexOf(resolve), 1)
      resolve()
    }, MAX_MS)
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
