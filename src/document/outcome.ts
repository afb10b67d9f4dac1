/**
 * State of a document. Conservation (Law 1): seen = done + partial + failed + skipped + pending, exactly, at every
 * moment. A document that is gone from its source counts separately, as `gone`: `seen` is the size of the source.
 *
 * - `pending`: seen, without a final outcome for its present version.
 * - `done`: every output committed.
 * - `partial`: committed, but the service reported a gap (truncated, a failed page, a warning).
 * - `failed`: a dead letter with its reason.
 * - `skipped`: excluded on purpose, by a rule or a filter of the user.
 */
export const OUTCOMES = ['pending', 'done', 'partial', 'failed', 'skipped'] as const
export type Outcome = (typeof OUTCOMES)[number]

export interface Counts extends Readonly<Record<Outcome, number>> {
  /** Number of documents that left the source; the store keeps their outputs. Not part of any outcome or of `seen`. */
  readonly gone: number
}

export const NO_COUNTS: Counts = { pending: 0, done: 0, partial: 0, failed: 0, skipped: 0, gone: 0 }

export function seen(counts: Counts): number {
  return OUTCOMES.reduce((sum, outcome) => sum + counts[outcome], 0)
}
