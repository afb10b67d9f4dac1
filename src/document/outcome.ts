/**
 * Where a document stands. Conservation (Law 1): seen = done + partial + failed + skipped + pending, exactly, at every
 * moment. A document that is gone from its source is counted apart, as `gone`: `seen` is what the source holds.
 *
 * - `pending`: seen, and nothing final is recorded for its present version.
 * - `done`: every output committed.
 * - `partial`: committed, but the service said that something is missing (truncated, a page failed, a warning).
 * - `failed`: a dead letter with its reason.
 * - `skipped`: left out on purpose, by a rule or a filter that the user set.
 */
export const OUTCOMES = ['pending', 'done', 'partial', 'failed', 'skipped'] as const
export type Outcome = (typeof OUTCOMES)[number]

export interface Counts extends Readonly<Record<Outcome, number>> {
  /** Documents that are no longer in the source; their outputs are kept. Part of no outcome, and of `seen` neither. */
  readonly gone: number
}

export const NO_COUNTS: Counts = { pending: 0, done: 0, partial: 0, failed: 0, skipped: 0, gone: 0 }

export function seen(counts: Counts): number {
  return OUTCOMES.reduce((sum, outcome) => sum + counts[outcome], 0)
}
