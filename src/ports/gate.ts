import type { SourceKey } from '#src/document/ids.ts'
import type { HaltCause, Verdict } from '#src/document/verdict.ts'

export type Admission =
  /** The request may be sent now. Every permit must be released by `leave`, once. */
  | { readonly kind: 'admitted'; readonly permit: Permit }
  /** Not now: give the job back and come again, no attempt used. */
  | { readonly kind: 'wait'; readonly waitMs: number; readonly reason: string }
  | {
      readonly kind: 'halted'
      readonly cause: HaltCause
      readonly message: string
      /** When asking again may let a probe through. */
      readonly retryInMs: number
    }

export interface Permit {
  readonly id: string
  readonly key: SourceKey
  /** Milliseconds on the gate's own clock (Redis TIME). */
  readonly enteredAt: number
  /** Requests that were in flight when this one entered, itself not counted. */
  readonly ahead: number
  /** Its number among all requests of the gate in the order of sending, and how many had been answered by then. */
  readonly seq: number
  readonly done: number
  readonly bound: boolean // The limit of requests in flight was what held requests back.
}

/** How a request that had a permit ended. `abandoned`: cut off by us, nothing is known. `unsent`: not needed after all. */
export type Report =
  | {
      readonly verdict: Verdict
      readonly durationMs: number
    }
  | { readonly verdict: 'abandoned' }
  | { readonly verdict: 'unsent' }

export interface Departure {
  /** False while the service is down: then its failures are not the document's, and use no attempt (Law 5). */
  readonly countsAsAttempt: boolean
  /** When this document may be sent again at the earliest; null when the gate has no opinion. */
  readonly retryInMs: number | null
}

/** The right to read a document for a request. Disposed of when the document is done with, whatever became of it. */
export interface Turn extends AsyncDisposable {
  readonly kind: 'turn'
  /** For the gate: the permit that the document was read with, once; null where it was read ahead. */
  takePermit(): (Omit<Permit, 'key'> & { readonly key: string }) | null
  /** For the gate: it has its permit. */
  admitted(): void
}

/** The one component that decides when a request may be sent, shared by all processes through Redis. */
export interface Gate {
  /**
   * Waits until a document is to be read for its request: with its permit, or ahead of it where this process gets many.
   * Answers `wait` where it goes back to the queue unread.
   */
  approach(
    ticket: { readonly key: SourceKey; readonly until?: AbortSignal },
    signal: AbortSignal,
  ): Promise<Turn | Extract<Admission, { kind: 'wait' }>>
  /**
   * Waits for a permit: about a minute for a limit, longer where its turn is near, 5 s for anything else. `first`: before
   * all that wait in this process; `until`: when it aborts, the document waits no longer and goes back to the queue.
   */
  enter(
    ticket: {
      readonly key: SourceKey
      readonly first?: boolean
      readonly until?: AbortSignal
      readonly turn?: Turn
    },
    signal: AbortSignal,
  ): Promise<Admission>
  leave(permit: Permit, report: Report): Promise<Departure>
  /** A refused document waits here for `ms`, to be next. False where it must go back to the queue instead. */
  hold(ms: number, signal: AbortSignal): Promise<boolean>
}
