import type { WindowKind } from '../rate-windows.ts'

/** What a simulated service allows, and what happens to it. Times in milliseconds since the start. */
export interface ServicePlan {
  readonly window: WindowKind
  /** Requests per minute, and requests in flight at a time. */
  readonly rate: number
  readonly places: number
  readonly whenFull?: 'reject' | 'queue'
  readonly retryAfter?: boolean
  /** Share of requests that end in a 500. */
  readonly errors?: number
  /** Requests of the first window that other clients have used up: the first refusal comes far below the limit. */
  readonly taken?: number
  readonly change?: { readonly at: number; readonly rate?: number; readonly places?: number }
  readonly outage?: readonly [from: number, to: number]
  /** The credits last for this many documents; then the service answers 402 until `toppedUpAt`. */
  readonly credits?: { readonly documents: number; readonly toppedUpAt: number }
}

const minutes = (count: number): number => count * 60_000

/** Thirteen limits that a service may have: the goals of `bench -- simulator` are over these. */
export const LIMITS: Readonly<Record<string, ServicePlan>> = {
  'rate 100, fixed window': { window: 'fixed', rate: 100, places: 50 },
  'rate 500, window of the first request': { window: 'first', rate: 500, places: 150 },
  'rate 500, sliding window': { window: 'sliding', rate: 500, places: 150 },
  'rate 500, sliding window, no Retry-After': { window: 'sliding', rate: 500, places: 150, retryAfter: false },
  'rate 500, fixed window, no Retry-After': { window: 'fixed', rate: 500, places: 150, retryAfter: false },
  'rate 500, token bucket': { window: 'bucket', rate: 500, places: 150 },
  'rate 500, token bucket, no Retry-After': { window: 'bucket', rate: 500, places: 150, retryAfter: false },
  'rate 100, but for one taken by others at first': { window: 'fixed', rate: 100, places: 50, taken: 99 },
  'rate 10, fixed window': { window: 'fixed', rate: 10, places: 2 },
  '20 places, refuses': { window: 'fixed', rate: 5000, places: 20 },
  '20 places, queues': { window: 'fixed', rate: 5000, places: 20, whenFull: 'queue' },
  '100 places, refuses, no Retry-After': { window: 'sliding', rate: 5000, places: 100, retryAfter: false },
  'rate 500, 50 places, queues, 5 % errors': {
    window: 'sliding',
    rate: 500,
    places: 50,
    whenFull: 'queue',
    errors: 0.05,
  },
}

/** Events of a service; each has its own measure. */
export const EVENTS: Readonly<Record<string, ServicePlan>> = {
  'rate up 100 → 500': { window: 'fixed', rate: 100, places: 100, change: { at: minutes(30), rate: 500 } },
  'places up 5 → 50': { window: 'fixed', rate: 3000, places: 5, change: { at: minutes(30), places: 50 } },
  'rate down 500 → 100': { window: 'fixed', rate: 500, places: 100, change: { at: minutes(30), rate: 100 } },
  'places down 50 → 5': { window: 'fixed', rate: 3000, places: 50, change: { at: minutes(30), places: 5 } },
  'outage of 10 minutes': {
    window: 'fixed',
    rate: 500,
    places: 50,
    whenFull: 'queue',
    outage: [minutes(20), minutes(30)],
  },
  'credits out for 20 minutes': {
    window: 'fixed',
    rate: 500,
    places: 50,
    credits: { documents: 5000, toppedUpAt: minutes(32) },
  },
}
