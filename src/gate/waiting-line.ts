import { assertNever } from '#src/document/assert-never.ts'
import type { Admission, Gate, Permit } from '#src/ports.ts'
import { describeWait } from './describe-wait.ts'
import type { WaitReason } from './replies.ts'

export type Ticket = Parameters<Gate['enter']>[0]

/** What one question to the gate came to. */
export type Answer =
  | { readonly kind: 'admitted'; readonly permit: Permit }
  | { readonly kind: 'wait'; readonly reason: WaitReason; readonly waitMs: number }
  /** `everybody`: true for all who wait, not only for the one who asked. */
  | { readonly kind: 'halted'; readonly everybody: boolean; readonly admission: Admission & { kind: 'halted' } }

export interface WaitingLineOptions {
  /** Asks the gate, once, for this ticket. */
  readonly ask: (ticket: Ticket) => Promise<Answer>
  /** Gives back a permit that came after its document had gone. */
  readonly giveBack: (permit: Permit) => void
  /** This process was called, and nobody waits in it any more. */
  readonly standDown: () => void
  /** Milliseconds that a document waits in line before it goes back to the queue. */
  readonly patienceMs: number
  readonly random: () => number
}

interface Waiter {
  readonly ticket: Ticket
  readonly resolve: (admission: Admission) => void
  readonly reject: (error: unknown) => void
}

/** Shut for another reason than a limit, the gate may be opened by hand or by a probe at any moment. */
const SHUT_POLL_MS = 1_000
const SHORTEST_PLACES_POLL_MS = 250
const LONGEST_PLACES_POLL_MS = 5_000
/** The pace of a rate limit is known ahead, and whoever changes it calls. */
const LONGEST_RATE_POLL_MS = 30_000

/**
 * The documents of one process that wait for a place, first come first served. Only the first of them asks, so that a
 * process costs the gate the same whether one or fifty of its documents wait. It asks at once where nobody waited
 * before, after an admission, when `leave` of any process calls it, and at the latest when the last answer said.
 */
export class WaitingLine {
  readonly #options: WaitingLineOptions
  readonly #waiters: Waiter[] = []
  #asking = false
  /** `performance.now()` before which asking is of no use. */
  #askAt = 0
  #calledFor = Infinity
  #refusal: { reason: WaitReason; until: number } = { reason: 'places', until: 0 }
  #timer: NodeJS.Timeout | null = null

  constructor(options: WaitingLineOptions) {
    this.#options = options
  }

  get length(): number {
    return this.#waiters.length
  }

  /** Resolves with the place, or `wait` when patience is over. Rejects with the reason of `signal`. */
  join(ticket: Ticket, signal: AbortSignal): Promise<Admission> {
    signal.throwIfAborted()
    return new Promise((resolve, reject) => {
      const finish = (): void => {
        clearTimeout(patience)
        signal.removeEventListener('abort', abort)
        const index = this.#waiters.indexOf(waiter)
        if (index !== -1) this.#waiters.splice(index, 1)
      }
      const waiter: Waiter = {
        ticket,
        resolve: (admission) => (finish(), resolve(admission)),
        reject: (error) => (finish(), reject(error)),
      }
      const abort = (): void => waiter.reject(signal.reason)
      const patience = setTimeout(() => waiter.resolve(this.#notNow()), this.#options.patienceMs)
      signal.addEventListener('abort', abort)
      this.#waiters.push(waiter)
      this.#schedule()
    })
  }

  /** The gate says that a place will be free in `ms` for this process. */
  call(ms: number): void {
    if (this.#waiters.length === 0 && !this.#asking) return this.#options.standDown()
    this.#calledFor = Math.min(this.#calledFor, performance.now() + ms)
    this.#schedule()
  }

  /** Turns everybody away; for the end of the process. */
  close(error: Error): void {
    for (const waiter of this.#waiters.slice()) waiter.reject(error)
    if (this.#timer !== null) clearTimeout(this.#timer)
  }

  #schedule(): void {
    if (this.#asking || this.#waiters.length === 0) return
    if (this.#timer !== null) clearTimeout(this.#timer)
    this.#timer = null
    const inMs = Math.min(this.#askAt, this.#calledFor) - performance.now()
    if (inMs <= 0) void this.#ask()
    else this.#timer = setTimeout(() => this.#schedule(), Math.ceil(inMs))
  }

  async #ask(): Promise<void> {
    const first = this.#waiters[0]
    if (first === undefined) return
    this.#asking = true
    this.#calledFor = Infinity
    this.#askAt = 0
    try {
      this.#hear(first, await this.#options.ask(first.ticket))
    } catch (error) {
      for (const waiter of this.#waiters.slice()) waiter.reject(error)
    } finally {
      this.#asking = false
    }
    this.#schedule()
  }

  #hear(first: Waiter, answer: Answer): void {
    const waits = this.#waiters.includes(first)
    switch (answer.kind) {
      case 'admitted':
        if (waits) first.resolve(answer)
        else this.#options.giveBack(answer.permit)
        return
      case 'wait': {
        const now = performance.now()
        this.#refusal = { reason: answer.reason, until: now + answer.waitMs }
        this.#askAt = now + pollMs(answer.reason, answer.waitMs)
        return
      }
      case 'halted':
        for (const waiter of answer.everybody ? this.#waiters.slice() : waits ? [first] : []) {
          waiter.resolve(answer.admission)
        }
    }
  }

  #notNow(): Admission {
    const { reason, until } = this.#refusal
    const leftMs = Math.max(until - performance.now(), this.#options.patienceMs)
    const waitMs = Math.round(leftMs * (1 + 0.25 * this.#options.random()))
    return { kind: 'wait', waitMs, reason: describeWait(reason, waitMs) }
  }
}

/** When to ask again, called or not. */
export function pollMs(reason: WaitReason, waitMs: number): number {
  switch (reason) {
    case 'paused':
    case 'outage':
      return Math.min(waitMs, SHUT_POLL_MS)
    case 'places':
      return Math.min(Math.max(waitMs, SHORTEST_PLACES_POLL_MS), LONGEST_PLACES_POLL_MS)
    case 'rate':
    case 'refused':
    case 'budget':
      return Math.min(waitMs, LONGEST_RATE_POLL_MS)
    default:
      return assertNever(reason)
  }
}
