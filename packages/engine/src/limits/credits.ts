/** Remaining credits of a key. `Infinity` for a key without a limit. */
export class Credits {
  /** Initial credits. */
  readonly granted: number
  #left: number

  constructor(left: number) {
    this.granted = left
    this.#left = left
  }

  get left(): number {
    return this.#left
  }

  covers(amount: number): boolean {
    return amount <= this.#left
  }

  /** Takes `amount` if it is available. True if so. */
  spend(amount: number): boolean {
    if (!this.covers(amount)) return false
    this.#left -= amount
    return true
  }
}
