import type { HaltCause, Limit, StatedRate, Verdict } from '../../../src/document/verdict.ts'
import type { Feedback } from '../src/feedback.ts'
import { feedbackOf } from '../../../workers/service/service-gate.ts'

/** Feedback of requests that ended in each of the ways there are. */
export function parsed(queuedMs = 0): Feedback {
  const usage = { queuedMs, credits: 1, pages: null }
  const answer = { body: Buffer.from('{}'), json: {}, requestId: null, durationMs: 100, usage }
  return report({ kind: 'parsed', answer })
}

export function throttled(limit: Limit, retryAfterMs: number | null = null, stated?: StatedRate): Feedback {
  const reported = stated === undefined ? {} : { stated }
  return report({ kind: 'throttled', limit, retryAfterMs, message: 'refused', ...reported })
}

/** The service fails at a document (500), or is not there (503). */
export function unavailable(countsAgainstService = true, httpStatus: 500 | 503 = 500): Feedback {
  return report({
    kind: 'unavailable',
    code: 'service_unavailable',
    message: `the service answered ${httpStatus}`,
    serviceCode: null,
    httpStatus,
    retryAfterMs: null,
    remedy: { kind: 'none' },
    countsAgainstService,
  })
}

export function halted(cause: HaltCause): Feedback {
  return report({ kind: 'halted', cause, message: `halted for ${cause}` })
}

export function rejected(): Feedback {
  const failure = { code: 'corrupt', stage: 'parse', message: 'broken file' } as const
  return report({ kind: 'rejected', failure, remedy: { kind: 'none' } })
}

function report(verdict: Verdict): Feedback {
  return feedbackOf({ kind: 'answered', verdict, durationMs: 100 })
}
