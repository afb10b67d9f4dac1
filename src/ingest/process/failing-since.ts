/** For how long something has failed without one success. */
export class FailingSince {
  readonly #now: () => number
  #since: number | null = null

  /** `now`: milliseconds of a monotonic clock. */
  constructor(now: () => number) {
    this.#now = now
  }

  worked(): void {
    this.#since = null
  }

  /** It failed once more; milliseconds since the first failure. */
  failedForMs(): number {
    this.#since ??= this.#now()
    return this.#now() - this.#since
  }
}
