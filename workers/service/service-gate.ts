import { assertNever } from '#src/kit/assert-never.ts'
import type { HaltCause, Verdict } from '#src/document/verdict.ts'
import { type Feedback, type StatedLimit, UNSENT, type RedisGate } from '@sluice/limiter'
import type { Gate, NoPermit, Permit, RequestEnd, PermitRequest } from '#src/ports/gate.ts'

/** The `Gate` port over the limiter: turns verdicts into feedback, and keeps a run's halt separate. */
export class ServiceGate implements Gate {
  readonly limiter: RedisGate
  readonly #optionsHalt: OptionsHalt

  constructor(limiter: RedisGate, windowMs: number) {
    this.limiter = limiter
    this.#optionsHalt = new OptionsHalt(windowMs)
  }

  async acquire(want: PermitRequest, signal: AbortSignal): Promise<Permit | NoPermit> {
    const halted = this.#optionsHalt.check(performance.now())
    if (halted !== null) return halted
    const permit = await this.limiter.acquire(want, signal)
    if (permit.kind !== 'permit') return permit
    return {
      kind: 'permit',
      release: (end) => {
        this.#optionsHalt.learn(end, performance.now())
        return permit.release(feedbackOf(end))
      },
    }
  }
}

/** Maps the end of a request to the feedback that the limiter learns from. */
export function feedbackOf(end: RequestEnd): Feedback {
  if (end.kind === 'abandoned') return { kind: 'abandoned' }
  if (end.kind === 'unsent') return UNSENT
  const { verdict, durationMs } = end
  switch (verdict.kind) {
    case 'parsed':
      return { kind: 'accepted', durationMs, queuedMs: verdict.answer.usage.queuedMs, ...statedIn(verdict) }
    case 'rejected':
    case 'refused':
      return { kind: 'answered' }
    case 'throttled': {
      const named = verdict.limit === 'unknown' ? {} : { limit: verdict.limit }
      return { kind: 'refused', ...named, ...retryAfter(verdict.retryAfterMs), ...statedIn(verdict) }
    }
    case 'unavailable':
      if (verdict.errorPage !== undefined) return { kind: 'answered' }
      return feedbackOfFailure(verdict)
    case 'halted':
      return isHaltOfKey(verdict.cause) ? { kind: verdict.cause, message: verdict.message } : { kind: 'answered' }
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

/** A proxy answers 502 or 503 without a worker; an incomplete request reached no server. */
function isAbsent({ httpStatus, inDoubt }: Unavailable): boolean {
  return httpStatus === null ? inDoubt === false : httpStatus === 502 || httpStatus === 503
}

/** Only a halt of the API key stops every process on it; a refusal belongs to one run (`OptionsHalt`). */
function isHaltOfKey(cause: string): cause is 'credits' | 'key' {
  return cause === 'credits' || cause === 'key'
}

const statedIn = ({ stated }: { readonly stated?: StatedLimit }): { stated?: StatedLimit } =>
  stated === undefined ? {} : { stated }

/** A Retry-After of 0 counts as none: taken literally it would retry the same request at once. */
function retryAfter(retryAfterMs: number | null): { retryAfterMs?: number } {
  return retryAfterMs === null || retryAfterMs <= 0 ? {} : { retryAfterMs }
}

/** Halts of an API key, which apply to all processes that use it. */
const OF_THE_KEY: readonly HaltCause[] = ['credits', 'key']

/**
 * Circuit breaker of one process, half-open once per window. The service refuses one run's documents in a row because
 * of options, a permission or an address. Other runs on the same API key are not affected.
 */
class OptionsHalt {
  readonly #windowMs: number
  #halted: { readonly cause: HaltCause; readonly message: string; probeAt: number } | null = null

  constructor(windowMs: number) {
    this.#windowMs = windowMs
  }

  /** Null if a request may proceed to the gate. A request that passes during a halt is the probe. */
  check(now: number): Extract<NoPermit, { kind: 'halted' }> | null {
    if (this.#halted === null) return null
    const retryInMs = this.#halted.probeAt - now
    const { cause, message } = this.#halted
    if (retryInMs > 0) return { kind: 'halted', cause, message, retryInMs }
    this.#halted.probeAt = now + this.#windowMs
    return null
  }

  learn(end: RequestEnd, now: number): void {
    if (end.kind === 'abandoned' || end.kind === 'unsent') return
    const { verdict } = end
    if (verdict.kind === 'parsed') this.#halted = null
    else if (verdict.kind === 'halted' && !OF_THE_KEY.includes(verdict.cause)) {
      this.#halted = { cause: verdict.cause, message: verdict.message, probeAt: now + this.#windowMs }
    }
  }
}
