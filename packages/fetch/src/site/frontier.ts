/** An address to be visited, and how many links away from where the walk began. */
export interface Waiting {
  readonly url: URL
  readonly depth: number
}

/** What is still to be visited, in the order in which it was found; each address once, however often it is found. */
export class Frontier {
  readonly #known = new Set<string>()
  #waiting: Waiting[] = []
  #at = 0

  /** False for an address that was added before. */
  add(url: URL, depth: number): boolean {
    if (this.#known.has(url.href)) return false
    this.#known.add(url.href)
    this.#waiting.push({ url, depth })
    return true
  }

  take(): Waiting | undefined {
    const next = this.#waiting[this.#at]
    if (next === undefined) return undefined
    this.#at += 1
    if (this.#at > 10_000) {
      this.#waiting = this.#waiting.slice(this.#at)
      this.#at = 0
    }
    return next
  }
}
