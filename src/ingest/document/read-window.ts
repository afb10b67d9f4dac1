/** A document that may be read. It ends with the permit of its request, or with its disposal. */
export interface Reading extends Disposable {
  /** The document was read, and asks for a permit. */
  onRead(): void
  onPermit(): void
}

/** For a document that needs no permit, that the service fetches, or that was read for another purpose. */
export const UNCOUNTED_READING: Reading = {
  onRead: () => undefined,
  onPermit: () => undefined,
  [Symbol.dispose]: () => undefined,
}

interface Waiter {
  readonly resolve: (reading: Reading | null) => void
  readonly reject: (error: unknown) => void
}

/** Documents are read ahead for this multiple of the read time, within these bounds in milliseconds. */
const READ_AHEAD_FACTOR = 4
const MIN_AHEAD_MS = 250
const MAX_AHEAD_MS = 60_000
/**
 * Minimum length in milliseconds of the sliding window for the throughput. The window also covers the time of the last
 * four reads.
 */
const MIN_WINDOW_MS = 10_000
/** Weight of the latest read in the moving mean. */
const WEIGHT = 0.2
/** Maximum number of remembered permits, and therefore of documents read ahead. */
const MAX_READ_AHEAD = 128
/** Timeout in milliseconds: a slower read frees its slot in the window, because its source may have stalled. */
const STALLED_MS = 5_000
/** Number of documents that stay in the waiting line at any throughput. */
const MIN_WAITING = 2

/**
 * Limits the documents of a process that are read and wait for a permit at a gate. By Little's law, these are the
 * documents that the present throughput takes in the time of four reads, and at least one. A document read too early
 * returns to the queue. Its bytes are read again later, and a bucket charges for that.
 */
export class ReadWindow {
  readonly #now: () => number
  readonly #patienceMs: number
  readonly #waiters: Waiter[] = []
  readonly #permitsAt: number[] = []
  #readMs = 0
  #read = 0

  /**
   * `now`: monotonic milliseconds. `patienceMs`: timeout after which a waiting document returns to the queue unread.
   */
  constructor(now: () => number, patienceMs = 60_000) {
    this.#now = now
    this.#patienceMs = patienceMs
  }

  /** Number of documents that wait to be read, and so at the gate. */
  get length(): number {
    return this.#waiters.length
  }

  /** Resolves in FIFO order. Null if the document returns unread, also on an abort of `until`. */
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
        if (this.#waiters.indexOf(waiter) >= MIN_WAITING) goBack()
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
    const aheadMs = Math.min(Math.max(MIN_AHEAD_MS, READ_AHEAD_FACTOR * this.#readMs), MAX_AHEAD_MS)
    while ((this.#permitsAt[0] ?? now) < now - Math.max(MIN_WINDOW_MS, aheadMs)) this.#permitsAt.shift()
    const count = this.#permitsAt.length
    const perMs = count < 2 ? 0 : (count - 1) / Math.max(1, now - (this.#permitsAt[0] ?? now))
    return Math.max(1, Math.min(count, Math.floor(perMs * aheadMs)))
  }

  /**
   * States: being read → asks for a permit → permitted; disposal is possible in each. A document without need of a
   * permit counts as permitted. A stalled one no longer counts.
   */
  #reading(): Reading {
    const from = this.#now()
    let hasAsked = false
    let isCounted = true
    let isPermitted = false
    this.#read += 1
    const onRead = (): void => {
      clearTimeout(stalled)
      if (!hasAsked) this.#readMs += WEIGHT * (this.#now() - from - this.#readMs)
      hasAsked = true
    }
    const leave = (permitted: boolean): void => {
      if (permitted) this.#permitsAt.push(this.#now())
      if (this.#permitsAt.length > MAX_READ_AHEAD) this.#permitsAt.shift()
      if (isCounted) this.#read -= 1
      isCounted = false
      this.#advance()
    }
    const stalled = setTimeout(() => leave(false), STALLED_MS)
    return {
      onRead,
      onPermit: () => {
        if (!isPermitted) leave(true)
        isPermitted = true
      },
      [Symbol.dispose]: () => {
        const neededNone = !hasAsked
        onRead()
        if (!isPermitted) leave(neededNone)
        isPermitted = true
      },
    }
  }
}
