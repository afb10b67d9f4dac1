/*
 * All that the limiter learns of a request. It knows neither documents nor HTTP: its caller reports in these terms how
 * a request ended. Times are milliseconds.
 */

/** A rate limit that the service states. `exact`: its window is no guess. `reached`: the service says so. */
export interface StatedLimit {
  readonly requests: number
  readonly windowMs: number
  readonly exact: boolean
  readonly reached: boolean
}

/** How a request ended, as release.lua takes it. Keys that are undefined are not sent. */
export type Feedback =
  | {
      readonly kind: 'accepted'
      readonly durationMs: number
      readonly queuedMs: number
      readonly stated?: StatedLimit
    }
  /** The service took the request, and refused the document. */
  | { readonly kind: 'answered' }
  | {
      readonly kind: 'refused'
      readonly limit?: 'rate' | 'concurrency'
      readonly retryAfterMs?: number
      readonly stated?: StatedLimit
    }
  /** The service gave up on it for time: a 408. */
  | { readonly kind: 'timed_out'; readonly retryAfterMs?: number }
  /** `absent`: no server was there to take the request, so that the document cannot be what brought it down. */
  | { readonly kind: 'down'; readonly message: string; readonly absent?: true; readonly retryAfterMs?: number }
  /** A failure that is this document's own. */
  | { readonly kind: 'failed' }
  | { readonly kind: 'credits' | 'key'; readonly message: string }
  | { readonly kind: 'abandoned' | 'unsent' }

/** A permit that is not needed any more: released, nothing was sent. */
export const UNSENT: Feedback = { kind: 'unsent' }
