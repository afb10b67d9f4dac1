import { assertNever } from '#src/document/assert-never.ts'
import type { Verdict } from '#src/document/verdict.ts'
import type { Report } from '#src/ports.ts'

/** What leave.lua is told of how a request ended. Keys that are undefined are not sent. */
export interface RequestOutcome {
  readonly kind:
    | 'parsed'
    | 'rejected'
    | 'rate'
    | 'concurrency'
    | 'down'
    | 'document'
    | 'credits'
    | 'key'
    | 'abandoned'
    | 'unsent'
  readonly durationMs?: number
  readonly queuedMs?: number
  readonly retryAfterMs?: number
  readonly message?: string
  /** Of `down`: nobody was there to take the request, so that the document cannot be what brought the service down. */
  readonly absent?: true
  /** Charged; undefined when nobody knows. */
  readonly credits?: number
}

/** A permit that nobody needs any more: given back, nothing was sent. */
export const UNSENT: RequestOutcome = { kind: 'unsent', credits: 0 }

/**
 * Which lesson of the gate a verdict is. A rejected document, and options that the service refuses, show that the
 * service is well; a failure that is this document's own (`countsAgainstService` false) teaches nothing.
 */
export function outcomeOf(report: Report): RequestOutcome {
  if (report.verdict === 'abandoned') return { kind: 'abandoned' }
  if (report.verdict === 'unsent') return UNSENT
  const { verdict, durationMs } = report
  const told = report.credits === null ? {} : { credits: report.credits }
  switch (verdict.kind) {
    case 'parsed':
      return { ...told, kind: 'parsed', durationMs, queuedMs: verdict.answer.usage.queuedMs }
    case 'rejected':
    case 'refused':
      return { ...told, kind: 'rejected' }
    case 'throttled':
      return { ...told, kind: verdict.limit, ...retryAfter(verdict.retryAfterMs) }
    case 'unavailable':
      return {
        ...told,
        kind: verdict.countsAgainstService ? 'down' : 'document',
        message: verdict.message,
        ...(isAbsent(verdict) ? { absent: true } : {}),
        ...retryAfter(verdict.retryAfterMs),
      }
    case 'halted':
      return { ...told, kind: haltKind(verdict.cause), message: verdict.message }
    default:
      return assertNever(verdict)
  }
}

/** A proxy answers 502 or 503 where no worker does; a request that did not go out whole reached nobody. */
function isAbsent({ httpStatus, inDoubt }: Extract<Verdict, { kind: 'unavailable' }>): boolean {
  return httpStatus === null ? inDoubt === false : httpStatus === 502 || httpStatus === 503
}

/** Only what is true of the API key halts all processes on it; a refusal is one run's own (`OptionsHalt`). */
function haltKind(cause: string): 'credits' | 'key' | 'rejected' {
  return cause === 'credits' || cause === 'key' ? cause : 'rejected'
}

/** A Retry-After of nothing is none: taken literally it would send the same request again at once. */
function retryAfter(retryAfterMs: number | null): { retryAfterMs?: number } {
  return retryAfterMs === null || retryAfterMs <= 0 ? {} : { retryAfterMs }
}
