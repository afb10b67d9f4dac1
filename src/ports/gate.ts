import type { SourceKey } from '#src/document/ids.ts'
import type { HaltCause, Verdict } from '#src/document/verdict.ts'

/** A document's request that asks for a permit. */
export interface Want {
  readonly key: SourceKey
  /** A limit refused it: it asks again in so many milliseconds, before all that were not refused. */
  readonly againInMs?: number
  /** When it aborts, the document waits no longer and goes back to the queue. */
  readonly until?: AbortSignal
}

/** The right to send one request. */
export interface Permit {
  readonly kind: 'permit'
  /** Once, with how the request ended. */
  release(end: RequestEnd): Promise<Released>
}

/** The document goes back to the queue, and no attempt is used. */
export type NotNow =
  /** It may come again after so long. */
  | { readonly kind: 'wait'; readonly waitMs: number; readonly reason: string }
  /** The account, the key or the options are refused. `retryInMs`: when asking again may let a probe through. */
  | { readonly kind: 'halted'; readonly cause: HaltCause; readonly message: string; readonly retryInMs: number }

/** How a request that had a permit ended. `abandoned`: cut off by us, nothing is known. `unsent`: not needed after all. */
export type RequestEnd =
  | { readonly verdict: Verdict; readonly durationMs: number }
  | { readonly verdict: 'abandoned' }
  | { readonly verdict: 'unsent' }

export interface Released {
  /** False while the service is down: then its failures are not the document's, and use no attempt (Law 5). */
  readonly countsAsAttempt: boolean
  /** When this document may be sent again at the earliest; null when the gate has no opinion. */
  readonly retryInMs: number | null
}

/** The one component that decides when a request may be sent, shared by all processes through Redis. */
export interface Gate {
  /**
   * Waits for a permit: about a minute for a limit, longer where its turn is near, 5 s for anything else. Rejects with the
   * reason of `signal`. Every permit must be released.
   */
  acquire(want: Want, signal: AbortSignal): Promise<Permit | NotNow>
}
