import type { Feedback } from './feedback.ts'

/** A request that asks for a permit. */
export interface PermitRequest {
  /** Key of the document: Redis remembers its failures under it. */
  readonly key: string
  /** A limit refused it: it asks again in `againInMs`, ahead of all requests that were not refused. */
  readonly againInMs?: number
  /** On abort the request stops waiting and returns to the queue. */
  readonly until?: AbortSignal
}

/**
 * The right to send one request. The holder releases it once, by `release` with the result; disposal without a release
 * reports that nothing was sent.
 */
export interface Permit extends AsyncDisposable {
  readonly kind: 'permit'
  release(feedback: Feedback): Promise<Released>
}

/**
 * `countsAsAttempt`: the failure belongs to the request. `retryInMs`: earliest time of its retry; null without an
 * opinion.
 */
export interface Released {
  readonly countsAsAttempt: boolean
  readonly retryInMs: number | null
}

/**
 * The request returns to the queue: it may ask again after `waitMs`, or the service refuses the account or key
 * (`halted`).
 */
export type NoPermit =
  | { readonly kind: 'wait'; readonly waitMs: number; readonly reason: string }
  | {
      readonly kind: 'halted'
      readonly cause: 'credits' | 'key' | 'permission'
      readonly message: string
      /** Earliest time at which asking again may start a probe. */
      readonly retryInMs: number
    }

/** Fields of a granted permit that the scripts need. Times are milliseconds of Redis's clock. */
export interface SentPermit {
  readonly id: string
  readonly sentAt: number
  /** Number of other requests in flight at its sending. */
  readonly ahead: number
  /** Sequence number among all requests, in the order of sending. */
  readonly seq: number
  /** The limit in flight was the limit that held requests back. */
  readonly bound: boolean
}
