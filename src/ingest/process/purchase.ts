import type { Failure } from '#src/document/failure.ts'
import type { Answer } from '#src/document/verdict.ts'
import type { ParserFacts } from '#src/document/parser.ts'
import type { JobVerdict } from '#src/ports/queue.ts'
import type { FoundReceipt } from './find-receipt.ts'
import type { AttemptsUsed } from './job-verdicts.ts'

/** A halted batch keeps its jobs; a process that resumes it finds them ready after this time. */
export const HALTED_MS = 1_000

/** What came of the wish to buy an answer. */
export type Purchase =
  | { readonly kind: 'bought'; readonly answer: Answer; readonly parser: ParserFacts }
  /** Another worker bought it for a copy of the document in the moment after the search for its receipt. */
  | { readonly kind: 'kept'; readonly receipt: FoundReceipt }
  | {
      readonly kind: 'later'
      readonly verdict: JobVerdict
      /** It is a suspect: no request follows here. */
      readonly suspected?: Failure
    }
  | {
      readonly kind: 'failed'
      readonly failure: Failure
      /** The counted attempt that this failure ends, or `final` where no further one can help. */
      readonly countsUntil: AttemptsUsed
      /** What the service asked to wait before another attempt; null when it named no time. */
      readonly retryAfterMs: number | null
    }

export const later = (verdict: JobVerdict): Extract<Purchase, { kind: 'later' }> => ({ kind: 'later', verdict })
