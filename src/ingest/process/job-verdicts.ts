import { backoffMs, MAX_ATTEMPTS } from '#src/document/backoff.ts'
import type { Failure } from '#src/document/failure.ts'
import type { JobVerdict } from '#src/ports/queue.ts'

export const FINISH: JobVerdict = { kind: 'finish' }

/** Back to the queue without using an attempt. */
export function postpone(afterMs: number, reason: string): JobVerdict {
  return { kind: 'postpone', afterMs, counted: false, reason }
}

/** How many counted attempts a document still has after this one is spent; null for a failure that is final now. */
export type AttemptsUsed = number | 'final'

/** Uses a counted attempt: later again with backoff, or, after the fifth, given up for good. */
export async function retryOrGiveUp(
  attempt: AttemptsUsed,
  failure: Failure,
  deps: { readonly random: () => number },
  giveUp: (failure: Failure) => Promise<JobVerdict>,
  retryAfterMs: number | null = null,
): Promise<JobVerdict> {
  if (attempt === 'final' || attempt >= MAX_ATTEMPTS) return giveUp(failure)
  const afterMs = backoffMs(attempt, retryAfterMs, deps.random)
  return { kind: 'postpone', afterMs, counted: true, reason: failure.code }
}
