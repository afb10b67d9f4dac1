import { readFileSync } from 'node:fs'
import { runLua } from './lua-to-js.ts'
import type { Policy, PolicyMaker, Sent } from './policies.ts'

const NAMES = [
  'fresh_law',
  'law_wait',
  'law_sent',
  'law_accepted',
  'law_overloaded',
  'law_refused',
  'law_down',
] as const

/** What simulations read of the law's record; docs/internals/limiter.md lists all fields. */
export interface LawState extends Readonly<Record<string, string | number | boolean | undefined>> {
  readonly phase: 'open' | 'paused' | 'outage'
  readonly places: number
  readonly due: number
  readonly rate?: number
}

interface LawPermit extends Sent {
  readonly ahead: number
}
interface Law {
  readonly fresh_law: (now: number) => LawState
  readonly law_wait: (
    state: LawState,
    now: number,
    inFlight: number,
  ) => { readonly reason?: string; readonly ms?: number }
  readonly law_sent: (state: LawState, now: number, inFlight: number) => LawPermit
  readonly law_accepted: (state: LawState, permit: LawPermit, feedback: object, now: number, inFlight: number) => void
  readonly law_overloaded: (state: LawState, permit: LawPermit, now: number, inFlight: number) => void
  readonly law_refused: (state: LawState, permit: LawPermit, feedback: object, now: number, inFlight: number) => void
  readonly law_down: (state: LawState, permit: LawPermit, feedback: object, now: number, trip: number) => void
}

/** The law's source, as Redis runs it. */
export const LAW_SOURCE = readFileSync(new URL('../../packages/limiter/src/lua/law.lua', import.meta.url), 'utf8')

export function loadLaw(source: string = LAW_SOURCE): Law {
  return runLua(source, NAMES) as unknown as Law
}

const feedback = (retryAfterMs: number | null): object =>
  retryAfterMs === null || retryAfterMs <= 0 ? {} : { retryAfterMs }

/** The control law of the gate, in one process. */
export function controlLaw(law = loadLaw(), watch?: (state: LawState) => void): PolicyMaker {
  return (): Policy => {
    const state = law.fresh_law(0)
    return {
      wait: (now, inFlight) => law.law_wait(state, now, inFlight).ms ?? Infinity,
      sent: (now, inFlight) => law.law_sent(state, now, inFlight),
      answered(sent, answer, now, inFlight) {
        const permit = sent as LawPermit
        const { status } = answer
        watch?.(state)
        if (status === 200) law.law_accepted(state, permit, { queuedMs: answer.queuedMs ?? 0 }, now, inFlight)
        else if (status === 408) law.law_overloaded(state, permit, now, inFlight)
        else if (status === 429) {
          const told = { ...feedback(answer.retryAfterMs), ...(answer.limit === null ? {} : { limit: answer.limit }) }
          law.law_refused(state, permit, told, now, inFlight)
        } else law.law_down(state, permit, feedback(answer.retryAfterMs), now, 3)
        return { counted: status === 408 && permit.ahead === 0 && inFlight === 0 }
      },
    }
  }
}
