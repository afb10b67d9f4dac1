/** A timer that can be stopped for a while: what it waits for is not always the far side's to do. */
export class Countdown implements Disposable {
  readonly #onEnd: () => void
  #leftMs: number
  #runsSince: number | null = null
  #timer: NodeJS.Timeout | null = null

  /** Runs from now on. */
  constructor(ms: number, onEnd: () => void) {
    this.#leftMs = ms
    this.#onEnd = onEnd
    this.resume()
  }

  pause(): void {
    if (this.#timer === null || this.#runsSince === null) return
    clearTimeout(this.#timer)
    this.#timer = null
    this.#leftMs = Math.max(0, this.#leftMs - (performance.now() - this.#runsSince))
    this.#runsSince = null
  }

  resume(): void {
    if (this.#timer !== null) return
    this.#runsSince = performance.now()
    this.#timer = setTimeout(this.#onEnd, this.#leftMs)
  }

  [Symbol.dispose](): void {
    this.pause()
  }
}
