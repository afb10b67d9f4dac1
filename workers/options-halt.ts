import type { HaltCause } from '#src/document/verdict.ts'
import type { Admission, Report } from '#src/ports/gate.ts'

/** Halts that are true of an API key, and so of all processes that use it. */
const OF_THE_KEY: readonly HaltCause[] = ['credits', 'key']

/**
 * What the service refuses of one run after another document (options, a permission, an address) says nothing of other
 * runs on the same API key: so this circuit breaker is the process's own, half-open once per window.
 */
export class OptionsHalt {
  readonly #windowMs: number
  #halted: { readonly cause: HaltCause; readonly message: string; probeAt: number } | null = null

  constructor(windowMs: number) {
    this.#windowMs = windowMs
  }

  /** Null where a request may go on to the gate. A request that passes while halted is the probe. */
  check(now: number): (Admission & { kind: 'halted' }) | null {
    if (this.#halted === null) return null
    const retryInMs = this.#halted.probeAt - now
    const { cause, message } = this.#halted
    if (retryInMs > 0) return { kind: 'halted', cause, message, retryInMs }
    this.#halted.probeAt = now + this.#windowMs
    return null
  }

  learn(report: Report, now: number): void {
    if (report.verdict === 'abandoned' || report.verdict === 'unsent') return
    const { verdict } = report
    if (verdict.kind === 'parsed') this.#halted = null
    else if (verdict.kind === 'halted' && !OF_THE_KEY.includes(verdict.cause)) {
      this.#halted = { cause: verdict.cause, message: verdict.message, probeAt: now + this.#windowMs }
    }
  }
}
