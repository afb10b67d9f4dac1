import { ConcurrencyGate } from './concurrency-gate.ts'
import { Credits } from './credits.ts'
import { RateWindow } from './rate-window.ts'

/** What a key may do. Whatever is left out is without limit. */
export interface KeyLimits {
  /** Used up by the price of each document that was answered. */
  readonly credits?: number
  readonly requestsPerMinute?: number
  /** Documents converted at the same time. */
  readonly concurrency?: number
  /** Beyond `concurrency`: wait for a place (default), or 429. */
  readonly overflow?: 'queue' | 'refuse'
  /** Whether the key may ask for `zeroDataRetention`; default true. */
  readonly zeroDataRetention?: boolean
}

/** A key's limits, and how much of them is used. */
export class Account {
  readonly credits: Credits
  readonly rate: RateWindow
  readonly places: ConcurrencyGate
  readonly mayZeroDataRetention: boolean
  /** When a document was last answered, ISO 8601; null for none. */
  lastSuccess: string | null = null

  constructor(limits: KeyLimits) {
    this.credits = new Credits(limits.credits ?? Number.POSITIVE_INFINITY)
    this.rate = new RateWindow(limits.requestsPerMinute ?? Number.POSITIVE_INFINITY)
    this.places = new ConcurrencyGate(limits.concurrency ?? Number.POSITIVE_INFINITY, limits.overflow ?? 'queue')
    this.mayZeroDataRetention = limits.zeroDataRetention ?? true
  }
}
