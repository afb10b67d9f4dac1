import type { DocumentQueue } from './document-queue.ts'

const CHECK_EVERY_MS = 2_000

/** Searches regularly for delayed jobs with a wrong time, which would wait for as long as a clock was set. */
export class DelayedWatch implements Disposable {
  readonly #timer: NodeJS.Timeout
  #isLooking = false

  constructor(queue: DocumentQueue) {
    this.#timer = setInterval(() => void this.#check(queue), CHECK_EVERY_MS).unref()
  }

  [Symbol.dispose](): void {
    clearInterval(this.#timer)
  }

  async #check(queue: DocumentQueue): Promise<void> {
    if (this.#isLooking) return
    this.#isLooking = true
    // Fails while Redis cannot carry it out (read-only, loading), and when the connection is closed for good.
    await queue.promoteMistimed().catch(() => undefined)
    this.#isLooking = false
  }
}
