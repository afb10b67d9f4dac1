import { assertNever } from '#src/document/assert-never.ts'
import type { Verdict } from '#src/document/verdict.ts'
import { type Feedback, type StatedLimit, UNSENT } from '#src/gate/feedback.ts'
import type { Report } from '#src/ports/gate.ts'

/** Maps how a request ended to the feedback that the limiter learns from. */
export function feedbackOf(report: Report): Feedback {
  if (report.verdict === 'abandoned') return { kind: 'abandoned' }
  if (report.verdict === 'unsent') return UNSENT
  const { verdict, durationMs } = report
  const credits = report.credits === null ? {} : { credits: report.credits }
  switch (verdict.kind) {
    case 'parsed':
      return { ...credits, kind: 'accepted', durationMs, queuedMs: verdict.answer.usage.queuedMs, ...statedIn(verdict) }
    case 'rejected':
    case 'refused':
      return { ...credits, kind: 'answered' }
    case 'throttled': {
      const named = verdict.limit === 'unknown' ? {} : { limit: verdict.limit }
      return { ...credits, kind: 'refused', ...named, ...retryAfter(verdict.retryAfterMs), ...statedIn(verdict) }
    }
    case 'unavailable':
      if (verdict.errorPage !== undefined) return { ...credits, kind: 'answered' }
      return { ...credits, ...feedbackOfFailure(verdict) }
    case 'halted':
      return isHaltOfKey(verdict.cause)
        ? { ...credits, kind: verdict.cause, message: verdict.message }
        : { ...credits, kind: 'answered' }
    default:
      return assertNever(verdict)
  }
}

type Unavailable = Extract<Verdict, { kind: 'unavailable' }>

function feedbackOfFailure(verdict: Unavailable): Feedback {
  const wait = retryAfter(verdict.retryAfterMs)
  if (verdict.httpStatus === 408) return { kind: 'timed_out', ...wait }
  if (!verdict.countsAgainstService) return { kind: 'failed' }
  return { kind: 'down', message: verdict.message, ...(isAbsent(verdict) ? { absent: true } : {}), ...wait }
}

/** A proxy answers 502 or 503 where no worker does; a request that did not go out whole reached no server. */
function isAbsent({ httpStatus, inDoubt }: Unavailable): boolean {
  return httpStatus === null ? inDoubt === false : httpStatus === 502 || httpStatus === 503
}

/** Only what is true of the API key halts every process on it; a refusal is one run's own (`OptionsHalt`). */
function isHaltOfKey(cause: string): cause is 'credits' | 'key' {
  return cause === 'credits' || cause === 'key'
}

const statedIn = ({ stated }: { readonly stated?: StatedLimit }): { stated?: StatedLimit } =>
  stated === undefined ? {} : { stated }

/** A Retry-After of nothing is none: taken literally it would send the same request again at once. */
function retryAfter(retryAfterMs: number | null): { retryAfterMs?: number } {
  return retryAfterMs === null || retryAfterMs <= 0 ? {} : { retryAfterMs }
}
