/** What a simulated service needs of time. */
export interface Clock {
  /** Milliseconds since the start. */
  readonly now: number
  after(ms: number, happen: () => void): void
}

/** A day that passes as fast as it can be computed: what is due first happens first, one thing at a time. */
export class SimulatedTime implements Clock {
  /** Milliseconds since the start. */
  now = 0
  readonly #due: { at: number; order: number; happen: () => void }[] = []
  #order = 0

  after(ms: number, happen: () => void): void {
    this.#order += 1
    const event = { at: this.now + Math.max(0, ms), order: this.#order, happen }
    const heap = this.#due
    let index = heap.push(event) - 1
    while (index > 0) {
      const parent = (index - 1) >> 1
      if (isBefore(heap[parent]!, event)) break
      heap[index] = heap[parent]!
      heap[parent] = event
      index = parent
    }
  }

  /** Lets everything happen that is due until then, one thing at a time, each followed by `then`. */
  async runUntil(end: number, then: () => Promise<void>): Promise<void> {
    for (let next = this.#due[0]; next !== undefined && next.at <= end; next = this.#due[0]) {
      this.#removeFirst()
      this.now = next.at
      next.happen()
      await then()
    }
    this.now = end
  }

  /** As `runUntil`, where nothing that happens is asynchronous: far faster. */
  runSyncUntil(end: number): void {
    for (let next = this.#due[0]; next !== undefined && next.at <= end; next = this.#due[0]) {
      this.#removeFirst()
      this.now = next.at
      next.happen()
    }
    this.now = end
  }

  #removeFirst(): void {
    const heap = this.#due
    const last = heap.pop()!
    if (heap.length === 0) return
    let index = 0
    for (;;) {
      let child = 2 * index + 1
      if (child >= heap.length) break
      if (child + 1 < heap.length && isBefore(heap[child + 1]!, heap[child]!)) child += 1
      if (isBefore(last, heap[child]!)) break
      heap[index] = heap[child]!
      index = child
    }
    heap[index] = last
  }
}

interface Due {
  readonly at: number
  readonly order: number
}

function isBefore(a: Due, b: Due): boolean {
  return a.at < b.at || (a.at === b.at && a.order < b.order)
}
