export type Entrance = { readonly entered: true; readonly queuedMs: number } | { readonly entered: false }

interface Waiting {
  readonly admit: () => void
}

/** A counting semaphore of `limit` concurrent requests. The others queue in order of arrival, or are refused. */
export class ConcurrencyGate {
  readonly limit: number
  readonly #overflow: 'queue' | 'refuse'
  readonly #waiting: Waiting[] = []
  #inside = 0

  constructor(limit: number, overflow: 'queue' | 'refuse') {
    this.limit = limit
    this.#overflow = overflow
  }

  get inside(): number {
    return this.#inside
  }

  get waiting(): number {
    return this.#waiting.length
  }

  /** Waits for a place until `signal` fires. A caller that entered must call `leave` exactly once. */
  async enter(signal: AbortSignal): Promise<Entrance> {
    if (signal.aborted) return { entered: false }
    if (this.#inside < this.limit) {
      this.#inside += 1
      return { entered: true, queuedMs: 0 }
    }
    if (this.#overflow === 'refuse') return { entered: false }
    const since = performance.now()
    const entered = await this.#wait(signal)
    return entered ? { entered, queuedMs: Math.round(performance.now() - since) } : { entered }
  }

  /** Hands the place to the request that has waited longest. */
  leave(): void {
    const next = this.#waiting.shift()
    if (next === undefined) this.#inside -= 1
    else next.admit()
  }

  #wait(signal: AbortSignal): Promise<boolean> {
    return new Promise((resolve) => {
      const giveUp = (): void => {
        this.#waiting.splice(this.#waiting.indexOf(waiting), 1)
        resolve(false)
      }
      const waiting: Waiting = {
        admit: () => {
          signal.removeEventListener('abort', giveUp)
          resolve(true)
        },
      }
      signal.addEventListener('abort', giveUp, { once: true })
      this.#waiting.push(waiting)
    })
  }
}
