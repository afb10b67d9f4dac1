/** A queued address and its distance in links from the start of the walk. */
export interface Waiting {
  readonly url: URL
  readonly depth: number
  /** Number of failed visits; absent before the first. */
  readonly failures?: number
}

/** Queue of addresses to visit, in the order of discovery. It deduplicates addresses. */
export class Frontier {
  readonly #known = new Set<string>()
  #waiting: Waiting[] = []
  readonly #failed: Waiting[] = []
  #at = 0

  /** False for a duplicate address. */
  add(url: URL, depth: number): boolean {
    if (this.#known.has(url.href)) return false
    this.#known.add(url.href)
    this.#waiting.push({ url, depth })
    return true
  }

  /** Queues an address once more, after all others: a page that times out holds none back. */
  addFailed(at: Waiting): void {
    this.#failed.push({ ...at, failures: (at.failures ?? 0) + 1 })
  }

  knows(href: string): boolean {
    return this.#known.has(href)
  }

  take(): Waiting | undefined {
    const next = this.#waiting[this.#at]
    if (next === undefined) return this.#failed.shift()
    this.#at += 1
    if (this.#at > 10_000) {
      this.#waiting = this.#waiting.slice(this.#at)
      this.#at = 0
    }
    return next
  }
}
