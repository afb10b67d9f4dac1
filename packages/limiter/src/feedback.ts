/*
 * All facts that the limiter learns from a request. It knows neither documents nor HTTP: its caller reports the end of
 * a request in these terms. Times are milliseconds.
 */

/**
 * A rate limit that the service states. `exact`: its window is known, not a guess. `reached`: the answer calls the
 * limit reached.
 */
export interface StatedLimit {
  readonly requests: number
  readonly windowMs: number
  readonly exact: boolean
  readonly reached: boolean
}

/** Result of a request, as release.lua takes it. Undefined keys are not sent. */
export type Feedback =
  | {
      readonly kind: 'accepted'
      readonly durationMs: number
      readonly queuedMs: number
      readonly stated?: StatedLimit
    }
  /** The service took the request and refused the document. */
  | { readonly kind: 'answered' }
  | {
      readonly kind: 'refused'
      readonly limit?: 'rate' | 'concurrency'
      readonly retryAfterMs?: number
      readonly stated?: StatedLimit
    }
  /** The service timed out on the request: a 408. */
  | { readonly kind: 'timed_out'; readonly retryAfterMs?: number }
  /** `absent`: the connection reached no server, so the document cannot have caused the outage. */
  | { readonly kind: 'down'; readonly message: string; readonly absent?: true; readonly retryAfterMs?: number }
  /** A failure that belongs to this document. */
  | { readonly kind: 'failed' }
  | { readonly kind: 'credits' | 'key'; readonly message: string }
  | { readonly kind: 'abandoned' | 'unsent' }

/** Releases a permit whose request was never sent. */
export const UNSENT: Feedback = { kind: 'unsent' }
