import type { RedisGate } from '#src/gate/redis-gate.ts'
import type { Admission, Departure, Gate, Permit, Report } from '#src/ports/gate.ts'
import { feedbackOf } from './gate-feedback.ts'
import { OptionsHalt } from './options-halt.ts'

/** The `Gate` port over the limiter: verdicts become feedback here, and a run's own halt is kept beside it. */
export class ServiceGate implements Gate {
  readonly limiter: RedisGate
  readonly #optionsHalt: OptionsHalt

  constructor(limiter: RedisGate, windowMs: number) {
    this.limiter = limiter
    this.#optionsHalt = new OptionsHalt(windowMs)
  }

  approach(...asked: Parameters<Gate['approach']>): ReturnType<Gate['approach']> {
    return this.limiter.approach(...asked)
  }

  async enter(ticket: Parameters<Gate['enter']>[0], signal: AbortSignal): Promise<Admission> {
    const halted = this.#optionsHalt.check(performance.now())
    if (halted !== null) return halted
    const admission = await this.limiter.enter(ticket, signal)
    if (admission.kind !== 'admitted') return admission
    return { kind: 'admitted', permit: { ...admission.permit, key: ticket.key } }
  }

  async leave(permit: Permit, report: Report): Promise<Departure> {
    this.#optionsHalt.learn(report, performance.now())
    return this.limiter.leave(permit, feedbackOf(report))
  }

  hold(ms: number, signal: AbortSignal): Promise<boolean> {
    return this.limiter.hold(ms, signal)
  }
}
