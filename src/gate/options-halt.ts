import type { Admission, Report } from '#src/ports.ts'

/**
 * Options that the service refuses fail every document of this run in the same way, but not those of others on the
 * same API key: so this halt is the process's own, with a probe once per window.
 */
export class OptionsHalt {
  readonly #windowMs: number
  #halted: { readonly message: string; probeAt: number } | null = null

  constructor(windowMs: number) {
    this.#windowMs = windowMs
  }

  /** Null where a request may go on to the gate. Whoever passes while halted is the probe. */
  check(now: number): (Admission & { kind: 'halted' }) | null {
    if (this.#halted === null) return null
    const retryInMs = this.#halted.probeAt - now
    if (retryInMs > 0) return { kind: 'halted', cause: 'options', message: this.#halted.message, retryInMs }
    this.#halted.probeAt = now + this.#windowMs
    return null
  }

  learn(report: Report, now: number): void {
    if (report.verdict === 'abandoned' || report.verdict === 'unsent') return
    const { verdict } = report
    if (verdict.kind === 'parsed') this.#halted = null
    else if (verdict.kind === 'halted' && verdict.cause === 'options') {
      this.#halted = { message: verdict.message, probeAt: now + this.#windowMs }
    }
  }
}
