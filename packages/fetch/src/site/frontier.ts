/** A queued address and its distance in links from the start of the walk. */
export interface Waiting {
  readonly url: URL
  readonly depth: number
}

/** Queue of addresses to visit, in the order of discovery. It deduplicates addresses. */
export class Frontier {
  readonly #known = new Set<string>()
  #waiting: Waiting[] = []
  #at = 0

  /** False for a duplicate address. */
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
