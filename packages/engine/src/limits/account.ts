import { ConcurrencyGate } from './concurrency-gate.ts'
import { Credits } from './credits.ts'
import { RateWindow } from './rate-window.ts'

/** Limits of a key. An absent limit means unlimited. */
export interface KeyLimits {
  /** The price of each answered document reduces them. */
  readonly credits?: number
  readonly requestsPerMinute?: number
  /** Maximum number of concurrent documents. */
  readonly concurrency?: number
  /** Behaviour above `concurrency`: queue (default), or 429. */
  readonly overflow?: 'queue' | 'refuse'
  /** True if the key may request `zeroDataRetention`. Default: true. */
  readonly zeroDataRetention?: boolean
}

/** A key's limits, and their current use. */
export class Account {
  readonly credits: Credits
  readonly rate: RateWindow
  readonly places: ConcurrencyGate
  readonly mayZeroDataRetention: boolean
  /** Time of the last answered document, ISO 8601. Null for none. */
  lastSuccess: string | null = null

  constructor(limits: KeyLimits) {
    this.credits = new Credits(limits.credits ?? Number.POSITIVE_INFINITY)
    this.rate = new RateWindow(limits.requestsPerMinute ?? Number.POSITIVE_INFINITY)
    this.places = new ConcurrencyGate(limits.concurrency ?? Number.POSITIVE_INFINITY, limits.overflow ?? 'queue')
    this.mayZeroDataRetention = limits.zeroDataRetention ?? true
  }
}
