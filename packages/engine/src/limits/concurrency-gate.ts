export type Acquisition = { readonly acquired: true; readonly queuedMs: number } | { readonly acquired: false }

interface Waiting {
  readonly admit: () => void
}

/** A counting semaphore of `limit` concurrent requests. The others queue in order of arrival, or are refused. */
export class ConcurrencyGate {
  readonly limit: number
  readonly #overflow: 'queue' | 'refuse'
  readonly #waiting: Waiting[] = []
  #inUse = 0

  constructor(limit: number, overflow: 'queue' | 'refuse') {
    this.limit = limit
    this.#overflow = overflow
  }

  get inUse(): number {
    return this.#inUse
  }

  get waiting(): number {
    return this.#waiting.length
  }

  /** Waits for a place until `signal` fires. A caller that acquired one must call `release` exactly once. */
  async acquire(signal: AbortSignal): Promise<Acquisition> {
    if (signal.aborted) return { acquired: false }
    if (this.#inUse < this.limit) {
      this.#inUse += 1
      return { acquired: true, queuedMs: 0 }
    }
    if (this.#overflow === 'refuse') return { acquired: false }
    const since = performance.now()
    const acquired = await this.#wait(signal)
    return acquired ? { acquired, queuedMs: Math.round(performance.now() - since) } : { acquired }
  }

  /** Hands the place to the request that has waited longest. */
  release(): void {
    const next = this.#waiting.shift()
    if (next === undefined) this.#inUse -= 1
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
