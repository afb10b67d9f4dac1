/** Longest wait here, milliseconds: a document that must wait for longer goes back to the queue. */
const LONGEST_MS = 15 * 60_000

/**
 * Refused documents that wait where they are for the time that the service named. In the queue they would come after the
 * whole backlog; here they are next. Bounded, since each of them keeps a place of its process.
 */
export class HeldDocuments implements Disposable {
  readonly #held = new Set<(mayGo: boolean) => void>()
  readonly #most: number
  #open = true

  /** `most`: documents that may be held at a time. */
  constructor(most: number) {
    this.#most = most
  }

  /** True when the time is over; false, at once or later, where the document must go back to the queue. */
  hold(ms: number, signal: AbortSignal): Promise<boolean> {
    if (!this.#open || ms > LONGEST_MS || this.#held.size >= this.#most || signal.aborted) return Promise.resolve(false)
    const { promise, resolve } = Promise.withResolvers<boolean>()
    const end = (mayGo: boolean): void => {
      clearTimeout(timer)
      signal.removeEventListener('abort', abort)
      this.#held.delete(end)
      resolve(mayGo)
    }
    const abort = (): void => end(false)
    const timer = setTimeout(() => end(true), ms)
    signal.addEventListener('abort', abort)
    this.#held.add(end)
    return promise
  }

  /** Sends all of them back, and holds no more. */
  [Symbol.dispose](): void {
    this.#open = false
    for (const end of this.#held) end(false)
  }
}
