/** What a key may still spend. `Infinity` for a key without a limit. */
export class Credits {
  /** What it began with. */
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

  /** Takes `amount` if it is there, and says whether it was. */
  spend(amount: number): boolean {
    if (!this.covers(amount)) return false
    this.#left -= amount
    return true
  }
}
