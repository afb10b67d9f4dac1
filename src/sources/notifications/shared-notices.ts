import { setTimeout as sleep } from 'node:timers/promises'
import type { Notice, Notices } from '../notices.ts'

/** Maximum duration of one poll for new notices. */
const PATIENCE_MS = 20_000

/** Backpressure: while a listener has this many waiting notices, the class fetches no others. */
const MAX_WAITING = 1000

const FULL_POLL_MS = 100

/**
 * Fans the notices of one source out to several listeners. A queue delivers a message to one consumer only, and the
 * message must stay until every listener that it concerns is done with it.
 */
export class SharedNotices implements Disposable {
  readonly #from: Notices
  readonly #listeners = new Set<Listener>()
  readonly #closing = new AbortController()
  #fetching: Promise<void> | null = null

  constructor(from: Notices) {
    this.#from = from
  }

  /**
   * Subscribes to the notices that `concerns` selects; the first listener also gets those of no listener. Disposal
   * releases the notices that still wait.
   */
  listen(concerns: (body: string) => boolean): Notices {
    const listener = new Listener(concerns, (waitMs, signal) => this.#arrival(waitMs, signal))
    this.#listeners.add(listener)
    return {
      next: (waitMs, signal) => listener.next(waitMs, signal),
      [Symbol.asyncDispose]: async () => {
        this.#listeners.delete(listener)
        await Promise.all(listener.waiting.splice(0).map((notice) => notice.release()))
      },
    }
  }

  [Symbol.dispose](): void {
    this.#closing.abort()
  }

  /** Waits until the shared fetch (single flight) has delivered its notices, or for `waitMs`. */
  async #arrival(waitMs: number, signal: AbortSignal): Promise<void> {
    const isFull = [...this.#listeners].some(({ waiting }) => waiting.length >= MAX_WAITING)
    if (isFull) return sleep(Math.min(waitMs, FULL_POLL_MS), undefined, { signal })
    this.#fetching ??= this.#fetch()
    const came = new AbortController()
    const late = sleep(waitMs, undefined, { signal: AbortSignal.any([signal, came.signal]) })
    await Promise.race([this.#fetching, late]).finally(() => came.abort())
  }

  async #fetch(): Promise<void> {
    try {
      for (const notice of await this.#from.next(PATIENCE_MS, this.#closing.signal)) await this.#handOut(notice)
    } finally {
      this.#fetching = null
    }
  }

  async #handOut(notice: Notice): Promise<void> {
    const all = [...this.#listeners]
    const concerned = all.filter(({ concerns }) => concerns(notice.body))
    const takers = concerned.length > 0 ? concerned : all.slice(0, 1)
    if (takers.length === 0) return notice.release()
    const shares = sharesOf(notice, takers.length)
    for (const [at, share] of shares.entries()) takers[at]?.waiting.push(share)
  }
}

class Listener {
  readonly waiting: Notice[] = []
  readonly concerns: (body: string) => boolean
  readonly #arrival: (waitMs: number, signal: AbortSignal) => Promise<void>

  constructor(concerns: Listener['concerns'], arrival: (waitMs: number, signal: AbortSignal) => Promise<void>) {
    this.concerns = concerns
    this.#arrival = arrival
  }

  async next(waitMs: number, signal: AbortSignal): Promise<readonly Notice[]> {
    for (const end = performance.now() + waitMs; this.waiting.length === 0;) {
      signal.throwIfAborted()
      const leftMs = end - performance.now()
      if (leftMs <= 0) break
      await this.#arrival(leftMs, signal)
    }
    return this.waiting.splice(0)
  }
}

/** Outcomes of a notice by precedence: the last one wins. */
const ENDS = ['done', 'refuse', 'release'] as const

/** Splits a notice into shares: it completes when all shares have completed. */
function sharesOf(notice: Notice, count: number): Notice[] {
  const ends: number[] = []
  return Array.from({ length: count }, () => {
    let isOpen = true
    const end = (rank: number) => async (): Promise<void> => {
      if (!isOpen) return
      isOpen = false
      ends.push(rank)
      if (ends.length === count) await notice[ENDS[Math.max(...ends)] ?? 'release']()
    }
    return { body: notice.body, done: end(0), refuse: end(1), release: end(2) }
  })
}
