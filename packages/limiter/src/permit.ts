import type { Feedback } from './feedback.ts'

/** A request that asks for a permit. */
export interface Want {
  /** Names what is sent: its failures are remembered under it. */
  readonly key: string
  /** A limit refused it: it asks again in so many milliseconds, before all that were not refused. */
  readonly againInMs?: number
  /** When it aborts, the request waits no longer and goes back. */
  readonly until?: AbortSignal
}

/** The right to send one request. Released once, by `release` with how it ended; disposed of unreleased, nothing was sent. */
export interface Permit extends AsyncDisposable {
  readonly kind: 'permit'
  release(feedback: Feedback): Promise<Released>
}

/** `countsAsAttempt`: the failure is the request's own. `retryInMs`: the earliest time for it; null without an opinion. */
export interface Released {
  readonly countsAsAttempt: boolean
  readonly retryInMs: number | null
}

/** The request goes back: it may ask again after `waitMs`, or the account or key is refused (`halted`). */
export type NotNow =
  | { readonly kind: 'wait'; readonly waitMs: number; readonly reason: string }
  | {
      readonly kind: 'halted'
      readonly cause: 'credits' | 'key' | 'permission'
      readonly message: string
      /** When asking again may let a probe through. */
      readonly retryInMs: number
    }

/** What the scripts need of a permit that they granted. Times are milliseconds of Redis's clock. */
export interface SentPermit {
  readonly id: string
  readonly sentAt: number
  /** Requests that were in flight when this one was sent, itself not counted. */
  readonly ahead: number
  /** Its number among all requests in the order of sending. */
  readonly seq: number
  /** The limit in flight was what held requests back. */
  readonly bound: boolean
}
