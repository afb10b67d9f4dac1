import type { SourceKey } from '#src/document/ids.ts'
import type { HaltCause, Verdict } from '#src/document/verdict.ts'

/** A document's request for a permit. */
export interface PermitRequest {
  readonly key: SourceKey
  /**
   * Milliseconds until a request that a limit refused asks again. It precedes all requests that were never refused.
   */
  readonly againInMs?: number
  /** On abort the document stops waiting and returns to the queue. */
  readonly until?: AbortSignal
}

/** The right to send one request. */
export interface Permit {
  readonly kind: 'permit'
  /** Call once, with the end of the request. */
  release(end: RequestEnd): Promise<Released>
}

/** The document returns to the queue and uses no attempt. */
export type NoPermit =
  /** The document may return after this time, in milliseconds. */
  | { readonly kind: 'wait'; readonly waitMs: number; readonly reason: string }
  /** The service refuses the account, the key or the options. `retryInMs`: time until a probe may pass. */
  | { readonly kind: 'halted'; readonly cause: HaltCause; readonly message: string; readonly retryInMs: number }

/**
 * End of a request that had a permit. `abandoned`: this process cut it off, so its result is unknown. `unsent`: it
 * became unnecessary.
 */
export type RequestEnd =
  | { readonly kind: 'answered'; readonly verdict: Verdict; readonly durationMs: number }
  | { readonly kind: 'abandoned' }
  | { readonly kind: 'unsent' }

export interface Released {
  /** False while the service is down. Its failures are then not the document's and use no attempt (Law 5). */
  readonly countsAsAttempt: boolean
  /** Minimum delay before a retry of this document; null if the gate sets none. */
  readonly retryInMs: number | null
}

/** The one component that decides when a request may be sent, shared by all processes through Redis. */
export interface Gate {
  /**
   * Waits for a permit: about a minute for a limit, longer near its turn, 5 s for anything else. Rejects with the
   * reason of `signal`. The caller must release every permit.
   */
  acquire(want: PermitRequest, signal: AbortSignal): Promise<Permit | NoPermit>
}
