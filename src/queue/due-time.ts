import type { DocumentJob } from '#src/ports/queue.ts'

/** A job's data in Redis: a document, and what its postponements need. Sluice 0.2.0 wrote the document alone. */
export interface QueuedJob extends DocumentJob {
  /** Counted attempts; BullMQ's `attemptsMade` holds those of 0.2.0, and errors that were not a verdict. */
  readonly attempts?: number
  readonly postponed?: Postponed
}

/** When a postponed document is due, on the clock of Redis: BullMQ judges by the wall clock of each machine. */
export interface Postponed {
  /** Epoch milliseconds. */
  readonly untilMs: number
  readonly forMs: number
}

/** A wait that is shorter or longer by this much is as good as the right one. */
const SLACK_MS = 2_000

/**
 * Milliseconds until a postponed document is due, `nowMs` on the clock of Redis; 0 once it is. A wait that is longer than
 * the document was postponed for is none: the clock of Redis was set back.
 */
export function remainingMs({ untilMs, forMs }: Postponed, nowMs: number): number {
  const leftMs = untilMs - nowMs
  return leftMs > SLACK_MS && leftMs <= forMs + SLACK_MS ? leftMs : 0
}

/** Whether a delayed document should have come by now: the clock that BullMQ timed it by was wrong, or was set since. */
export function isOverdue({ untilMs, forMs }: Postponed, nowMs: number): boolean {
  const leftMs = untilMs - nowMs
  return leftMs < -SLACK_MS || leftMs > forMs + SLACK_MS
}
