/** A timeout that can be paused: the far side is not always the cause of a wait. */
export class Countdown implements Disposable {
  readonly #onEnd: () => void
  #leftMs: number
  #runsSince: number | null = null
  #timer: NodeJS.Timeout | null = null

  /** Starts at once. */
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
