/** A document that may be read, until its request has its permit or it is done with. */
export interface Reading extends Disposable {
  /** It was read, and asks for a permit. */
  asks(): void
  permitted(): void
}

/** Of a document that needs no permit, that the service fetches by itself, or that was read for another purpose. */
export const UNCOUNTED: Reading = {
  asks: () => undefined,
  permitted: () => undefined,
  [Symbol.dispose]: () => undefined,
}

interface Waiter {
  readonly resolve: (reading: Reading | null) => void
  readonly reject: (error: unknown) => void
}

/** Documents are read ahead for so many times as long as a read takes, within these bounds in milliseconds. */
const READS = 4
const SHORTEST_MS = 250
const LONGEST_MS = 60_000
/** Permits that are older, and came before the last four reads, say nothing of the present throughput; milliseconds. */
const RECENT_MS = 10_000
/** Weight of the latest read in the mean. */
const WEIGHT = 0.2
/** Most permits that are remembered, and so the most documents that are read ahead. */
const MOST = 128
/** A document that is not read by then lets another be read: its source may have stalled. */
const STALLED_MS = 5_000
/** Documents that stay in line however slow it is. */
const FEW = 2

/**
 * How many documents of a process may be read and wait for a permit at a gate: by Little's law, those that the present
 * throughput takes in the time of four reads, and one at least. A document that is read long before its request leaves goes
 * back to the queue, and its bytes are read again, which a bucket charges for.
 */
export class ReadWindow {
  readonly #now: () => number
  readonly #patienceMs: number
  readonly #waiters: Waiter[] = []
  readonly #permitsAt: number[] = []
  #readMs = 0
  #read = 0

  /** `now`: monotonic milliseconds. `patienceMs`: a document that waits for longer goes back to the queue unread. */
  constructor(now: () => number, patienceMs = 60_000) {
    this.#now = now
    this.#patienceMs = patienceMs
  }

  /** Documents that wait to be read, and so at the gate. */
  get length(): number {
    return this.#waiters.length
  }

  /** Resolves in the order of asking; with null where the document goes back unread, also when `until` aborts. */
  enter(signal: AbortSignal, until?: AbortSignal): Promise<Reading | null> {
    signal.throwIfAborted()
    if (until?.aborted === true) return Promise.resolve(null)
    return new Promise((resolve, reject) => {
      const leave = (): void => {
        clearTimeout(patience)
        signal.removeEventListener('abort', abort)
        until?.removeEventListener('abort', goBack)
        const index = this.#waiters.indexOf(waiter)
        if (index !== -1) this.#waiters.splice(index, 1)
      }
      const waiter: Waiter = {
        resolve: (reading) => (leave(), resolve(reading)),
        reject: (error) => (leave(), reject(error)),
      }
      const abort = (): void => waiter.reject(signal.reason)
      const goBack = (): void => waiter.resolve(null)
      const expire = (): void => {
        if (this.#waiters.indexOf(waiter) >= FEW) goBack()
        else patience = setTimeout(expire, this.#patienceMs)
      }
      let patience = setTimeout(expire, this.#patienceMs)
      signal.addEventListener('abort', abort)
      until?.addEventListener('abort', goBack)
      this.#waiters.push(waiter)
      this.#advance()
    })
  }

  #advance(): void {
    for (let [first] = this.#waiters; first !== undefined && this.#read < this.#size(); [first] = this.#waiters) {
      first.resolve(this.#reading())
    }
  }

  #size(): number {
    const now = this.#now()
    const aheadMs = Math.min(Math.max(SHORTEST_MS, READS * this.#readMs), LONGEST_MS)
    while ((this.#permitsAt[0] ?? now) < now - Math.max(RECENT_MS, aheadMs)) this.#permitsAt.shift()
    const count = this.#permitsAt.length
    const perMs = count < 2 ? 0 : (count - 1) / Math.max(1, now - (this.#permitsAt[0] ?? now))
    return Math.max(1, Math.min(count, Math.floor(perMs * aheadMs)))
  }

  /**
   * Being read → asks for a permit → permitted; or disposed of at any time. One that needs no permit counts as permitted. One
   * that stalls is not counted any more.
   */
  #reading(): Reading {
    const from = this.#now()
    let hasAsked = false
    let isCounted = true
    let isPermitted = false
    this.#read += 1
    const asks = (): void => {
      clearTimeout(stalled)
      if (!hasAsked) this.#readMs += WEIGHT * (this.#now() - from - this.#readMs)
      hasAsked = true
    }
    const leave = (permitted: boolean): void => {
      if (permitted) this.#permitsAt.push(this.#now())
      if (this.#permitsAt.length > MOST) this.#permitsAt.shift()
      if (isCounted) this.#read -= 1
      isCounted = false
      this.#advance()
    }
    const stalled = setTimeout(() => leave(false), STALLED_MS)
    return {
      asks,
      permitted: () => {
        if (!isPermitted) leave(true)
        isPermitted = true
      },
      [Symbol.dispose]: () => {
        const neededNone = !hasAsked
        asks()
        if (!isPermitted) leave(neededNone)
        isPermitted = true
      },
    }
  }
}
