import type { DocumentJob } from '#src/ports/queue.ts'

/** A job's data in Redis: a document, and the state of its postponements. Sluice 0.2.0 wrote the document alone. */
export interface QueuedJob extends DocumentJob {
  /** Counted attempts; BullMQ's `attemptsMade` holds those of 0.2.0, and errors without a verdict. */
  readonly attempts?: number
  readonly postponed?: Postponed
}

/** Due time of a postponed document, on the clock of Redis: BullMQ uses the wall clock of each machine. */
export interface Postponed {
  /** Epoch milliseconds. */
  readonly untilMs: number
  readonly forMs: number
}

/** Tolerance of a wait. */
const SLACK_MS = 2_000

/**
 * Milliseconds until a postponed document is due, with `nowMs` on the clock of Redis; 0 once it is. A rest longer than
 * the full delay means that the clock of Redis was set back: it counts as 0.
 */
export function remainingMs({ untilMs, forMs }: Postponed, nowMs: number): number {
  const leftMs = untilMs - nowMs
  return leftMs > SLACK_MS && leftMs <= forMs + SLACK_MS ? leftMs : 0
}

/** True if a delayed document should have run by now: the clock in BullMQ's calculation was wrong, or was set since. */
export function isOverdue({ untilMs, forMs }: Postponed, nowMs: number): boolean {
  const leftMs = untilMs - nowMs
  return leftMs < -SLACK_MS || leftMs > forMs + SLACK_MS
}
