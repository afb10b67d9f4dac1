import { backoffMs, MAX_ATTEMPTS } from '#src/kit/backoff.ts'
import type { Failure } from '#src/document/failure.ts'
import type { Answer } from '#src/document/verdict.ts'
import type { ParserFacts } from '#src/document/parser.ts'
import type { JobVerdict } from '#src/ports/queue.ts'
import type { FoundReceipt } from './find-receipt.ts'

/** A halted batch keeps its jobs; a process that resumes it finds them ready after this time, in milliseconds. */
export const HALTED_MS = 1_000

/** Number of counted attempts of a document, including this one; `final` if no further one can help. */
export type AttemptsUsed = number | 'final'

/** Outcome of a purchase. */
export type Purchase =
  | { readonly kind: 'bought'; readonly answer: Answer; readonly parser: ParserFacts }
  /** Another worker bought it for a copy of the document, right after the search for its receipt. */
  | { readonly kind: 'kept'; readonly receipt: FoundReceipt }
  | {
      readonly kind: 'later'
      readonly verdict: JobVerdict
      /** The document is a suspect: no request follows here. */
      readonly suspected?: Failure
      /** The purchase halted the batch. */
      readonly halted?: true
    }
  | {
      readonly kind: 'failed'
      readonly failure: Failure
      readonly countsUntil: AttemptsUsed
      /** The service's own delay before a retry; null without one. */
      readonly retryAfterMs: number | null
    }

export type Failed = Extract<Purchase, { kind: 'failed' }>
export type Unfinished = Failed | Extract<Purchase, { kind: 'later' }>

export const later = (verdict: JobVerdict): Extract<Purchase, { kind: 'later' }> => ({ kind: 'later', verdict })

/** Final, unless another attempt may help. */
export const failed = (failure: Failure, countsUntil: AttemptsUsed = 'final'): Failed => ({
  kind: 'failed',
  failure,
  countsUntil,
  retryAfterMs: null,
})

export const FINISH: JobVerdict = { kind: 'finish' }

/** Returns the job to the queue without using an attempt. */
export function postpone(afterMs: number, reason: string): JobVerdict {
  return { kind: 'postpone', afterMs, counted: false, reason }
}

/** Uses a counted attempt: retries with backoff, or gives up after the fifth. */
export async function retryOrGiveUp(
  { failure, countsUntil, retryAfterMs }: Omit<Failed, 'kind'>,
  random: () => number,
  giveUp: (failure: Failure) => Promise<JobVerdict>,
): Promise<JobVerdict> {
  if (countsUntil === 'final' || countsUntil >= MAX_ATTEMPTS) return giveUp(failure)
  const afterMs = backoffMs(countsUntil, retryAfterMs, random)
  return { kind: 'postpone', afterMs, counted: true, reason: failure.code }
}
