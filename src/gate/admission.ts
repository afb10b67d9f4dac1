/** A request that asks for a permit. */
export interface Ticket {
  /** Names what is sent: its failures are remembered under it. */
  readonly key: string
  /** Before all that wait in this process. */
  readonly first?: boolean
  /** When it aborts, the request waits no longer. */
  readonly until?: AbortSignal
  /** Its document was not read yet: it cannot be the probe of a pause, which must leave at once. */
  readonly unread?: boolean
  /** What `approach` answered for it, where it was asked. */
  readonly turn?: Turn
}

/**
 * The right to read a document for a request, from `approach` on. Disposed of when the document is done with: a permit that
 * was not needed is released then.
 */
export interface Turn extends AsyncDisposable {
  readonly kind: 'turn'
  /** The document needs a permit: the one that it was read with, once, or null where it was read ahead. */
  takePermit(): Permit | null
  /** The gate admitted it: it is not read ahead any more. */
  admitted(): void
}

/** The right to send one request, released once by `leave`. */
export interface Permit {
  readonly id: string
  readonly key: string
  /** Milliseconds on the limiter's own clock (Redis TIME). */
  readonly enteredAt: number
  /** Requests that were in flight when this one entered, itself not counted. */
  readonly ahead: number
  /** Its number among all requests in the order of sending, and how many had been answered by then. */
  readonly seq: number
  readonly done: number
  /** The limit of requests in flight was what held requests back. */
  readonly bound: boolean
}

/** What came of a ticket. `retryInMs`: when asking again may let a probe through. */
export type Admission =
  | { readonly kind: 'admitted'; readonly permit: Permit }
  /** `readFirst`: its turn has come, once its document is read. */
  | { readonly kind: 'wait'; readonly waitMs: number; readonly reason: string; readonly readFirst?: true }
  | {
      readonly kind: 'halted'
      readonly cause: 'credits' | 'key' | 'permission'
      readonly message: string
      readonly retryInMs: number
    }

/** `countsAsAttempt`: the failure is the request's own. `retryInMs`: the earliest time for it; null without an opinion. */
export interface Departure {
  readonly countsAsAttempt: boolean
  readonly retryInMs: number | null
}
