import type { Admission, Permit, Ticket } from './admission.ts'
import { assertNever } from './assert-never.ts'
import { describeWait } from './describe-wait.ts'
import type { WaitReason } from './border.ts'

/** What one question to the gate came to. */
export type Answer =
  /** `fullForMs`: it was the last place for now, and when one may be free for requests that wait. */
  | { readonly kind: 'admitted'; readonly permit: Permit; readonly fullForMs: number | null }
  /** `askInMs`: when to ask again at the latest, where that is not when the turn may come. */
  | {
      readonly kind: 'wait'
      readonly reason: WaitReason
      readonly waitMs: number
      readonly askInMs?: number | undefined
      readonly readFirst?: true | undefined
    }
  /** For all requests that wait, not only for the one that asked. */
  | { readonly kind: 'halted'; readonly admission: Admission & { kind: 'halted' } }

export interface WaitingLineOptions {
  /** Asks the gate, once, for this ticket. `more`: others wait besides. */
  readonly ask: (ticket: Ticket, more: boolean) => Promise<Answer>
  /** Releases a permit that came after its document had gone. */
  readonly giveBack: (permit: Permit) => void
  /** This process was called, and no document waits in it any more. */
  readonly standDown: () => void
  /** The gate keeps requests back for what may last: an outage, a halt, a pause by hand. */
  readonly heardOfNoLimit?: () => void
  /** Milliseconds that a document waits in line before it goes back to the queue. */
  readonly patienceMs: number
  /** The same for a document that waits for a limit; longer still for those whose turn is near. Not below `patienceMs`. */
  readonly limitPatienceMs?: number
  readonly random: () => number
}

/** The first document that waits, on its way to a place that another one releases. One of the two must be called. */
export interface Next {
  readonly ticket: Ticket
  /** Others wait besides. */
  readonly more: boolean
  hear(answer: Answer): void
  fail(error: unknown): void
}

interface Waiter {
  readonly ticket: Ticket
  readonly resolve: (admission: Admission) => void
  readonly reject: (error: unknown) => void
}

/** A process that releases a place calls the next one: asking without a call finds the places of dead processes. */
const SHORTEST_PLACES_POLL_MS = 1_000
const LONGEST_PLACES_POLL_MS = 30_000
/** What a timer of Node takes. */
const LONGEST_TIMER_MS = 2 ** 31 - 1

/** What documents wait for that ends by itself. */
const OF_A_LIMIT: ReadonlySet<WaitReason> = new Set(['places', 'rate', 'refused'])
/** Documents that stay in line however slow it is. */
export const FEW = 2
/** As many as may ask at the same time while the gate admits every request. */
const WIDEST = 16

/**
 * The documents of one process that wait for a place, in FIFO order. While the gate refuses, only the first of them
 * asks: a process costs the gate the same whether one or fifty of its documents wait. It asks at once where the line
 * was empty before, after an admission, and when `leave` of any process calls it; else at the time that the last answer
 * named. Each admission doubles how many ask at a time: one by one, a busy process would be held to one
 * admission a turn of its event loop. While all places are taken no document has to ask: the release of a place takes
 * the next document along (`next`).
 */
export class WaitingLine {
  readonly #options: WaitingLineOptions
  readonly #waiters: Waiter[] = []
  readonly #asking = new Set<Waiter>()
  #width = 1
  /** `performance.now()` before which asking is of no use. */
  #askAt = 0
  #calledFor = Infinity
  #refusal: { reason: WaitReason; until: number } = { reason: 'places', until: 0 }
  #isLimited = true
  #timer: NodeJS.Timeout | null = null
  /** `performance.now()` of the last admissions. */
  readonly #admittedAt: number[] = []

  constructor(options: WaitingLineOptions) {
    this.#options = options
  }

  get length(): number {
    return this.#waiters.length
  }

  /** False while the gate keeps requests back for what may last, and not for a limit. */
  get isLimited(): boolean {
    return this.#isLimited
  }

  /** Resolves with the place, or `wait` when patience is over. Rejects with the reason of `signal`. */
  join(ticket: Ticket, signal: AbortSignal): Promise<Admission> {
    signal.throwIfAborted()
    return new Promise((resolve, reject) => {
      const finish = (): void => {
        clearTimeout(patience)
        signal.removeEventListener('abort', abort)
        ticket.until?.removeEventListener('abort', goBack)
        const index = this.#waiters.indexOf(waiter)
        if (index !== -1) this.#waiters.splice(index, 1)
      }
      const waiter: Waiter = {
        ticket,
        resolve: (admission) => (finish(), resolve(admission)),
        reject: (error) => (finish(), reject(error)),
      }
      const abort = (): void => {
        waiter.reject(signal.reason)
        this.#standDownIfIdle()
      }
      const goBack = (): void => {
        waiter.resolve(this.notNow())
        this.#standDownIfIdle()
      }
      const { patienceMs } = this.#options
      const joinedAt = performance.now()
      const expire = (): void => {
        if (this.#stays(waiter, performance.now() - joinedAt)) patience = setTimeout(expire, patienceMs)
        else goBack()
      }
      let patience = setTimeout(expire, patienceMs)
      signal.addEventListener('abort', abort)
      if (ticket.until?.aborted === true) return waiter.resolve(this.notNow())
      ticket.until?.addEventListener('abort', goBack)
      if (ticket.first === true) this.#waiters.unshift(waiter)
      else this.#waiters.push(waiter)
      this.#schedule()
    })
  }

  /** The release of a place asks for the first that waits, in the same script call. Null where asking is of no use. */
  next(): Next | null {
    if (this.#refusal.reason !== 'places' && this.#askAt > performance.now()) return null
    const waiter = this.#idle()[0]
    if (waiter === undefined) return null
    this.#asking.add(waiter)
    return {
      ticket: waiter.ticket,
      more: this.#idle().length > 0,
      hear: (answer) => {
        this.#asking.delete(waiter)
        this.#hear(waiter, answer)
        this.#schedule()
      },
      fail: (error) => {
        this.#asking.delete(waiter)
        this.#turnAway(error)
      },
    }
  }

  /** The gate says that a place will be free in `ms` for this process. */
  call(ms: number): void {
    if (this.#waiters.length === 0) return this.#standDownIfIdle()
    this.#calledFor = Math.min(this.#calledFor, performance.now() + ms)
    this.#schedule()
  }

  /** Rejects every request that waits; for the end of the process. */
  close(error: Error): void {
    this.#turnAway(error)
    if (this.#timer !== null) clearTimeout(this.#timer)
  }

  /** A process without documents must not be the one that is to send the next probe. Its next document asks at once. */
  #standDownIfIdle(): void {
    if (this.#waiters.length > 0 || this.#asking.size > 0) return
    this.#askAt = 0
    this.#calledFor = Infinity
    this.#options.standDown()
  }

  #schedule(): void {
    if (this.#asking.size >= this.#width || this.#waiters.length === 0) return
    if (this.#timer !== null) clearTimeout(this.#timer)
    this.#timer = null
    const inMs = Math.min(this.#askAt, this.#calledFor) - performance.now()
    if (inMs <= 0) this.#askForFirst()
    else this.#timer = setTimeout(() => this.#schedule(), Math.min(Math.ceil(inMs), LONGEST_TIMER_MS))
  }

  #askForFirst(): void {
    const idle = this.#idle()
    const first = idle.slice(0, this.#width - this.#asking.size)
    if (first.length === 0) return
    this.#calledFor = Infinity
    this.#askAt = 0
    for (const waiter of first) void this.#ask(waiter, idle.length > first.length)
  }

  async #ask(waiter: Waiter, more: boolean): Promise<void> {
    this.#asking.add(waiter)
    try {
      this.#hear(waiter, await this.#options.ask(waiter.ticket, more))
    } catch (error) {
      this.#turnAway(error)
    } finally {
      this.#asking.delete(waiter)
    }
    this.#schedule()
  }

  /**
   * A document that goes back is read again when it returns. So one that waits for a limit stays; after the longer
   * patience, if twice as many were admitted in that time as stand before it, and a few in any case.
   */
  #stays(waiter: Waiter, waitedMs: number): boolean {
    const { patienceMs, limitPatienceMs = patienceMs } = this.#options
    if (limitPatienceMs <= patienceMs || !OF_A_LIMIT.has(this.#refusal.reason)) return false
    if (waitedMs < limitPatienceMs) return true
    const since = performance.now() - limitPatienceMs
    while ((this.#admittedAt[0] ?? since) < since) this.#admittedAt.shift()
    return this.#waiters.indexOf(waiter) < FEW + 2 * this.#admittedAt.length
  }

  /** Waiters for which no question to the gate is in flight. */
  #idle(): readonly Waiter[] {
    return this.#waiters.filter((waiter) => !this.#asking.has(waiter))
  }

  #turnAway(error: unknown): void {
    for (const waiter of this.#waiters.slice()) waiter.reject(error)
  }

  #hear(waiter: Waiter, answer: Answer): void {
    const waits = this.#waiters.includes(waiter)
    switch (answer.kind) {
      case 'admitted':
        this.#width = Math.min(2 * this.#width, WIDEST)
        this.#isLimited = true
        this.#admittedAt.push(performance.now())
        if (this.#admittedAt.length > WIDEST) this.#admittedAt.shift()
        this.#askAt = 0 // Unless the answer names a time, this process has left the line: it is not called.
        if (answer.fullForMs !== null) this.#notBefore('places', answer.fullForMs)
        if (waits) waiter.resolve(answer)
        else this.#options.giveBack(answer.permit)
        return
      case 'wait':
        this.#notBefore(answer.reason, answer.waitMs, answer.askInMs)
        this.#hearLimited(OF_A_LIMIT.has(answer.reason))
        if (answer.readFirst === true && waits) waiter.resolve({ ...this.notNow(), readFirst: true })
        return
      case 'halted':
        this.#width = 1
        for (const other of this.#waiters.slice()) other.resolve(answer.admission)
        this.#hearLimited(false)
    }
  }

  #hearLimited(isLimited: boolean): void {
    this.#isLimited = isLimited
    if (!isLimited) this.#options.heardOfNoLimit?.()
  }

  #notBefore(reason: WaitReason, waitMs: number, askInMs = waitMs): void {
    const now = performance.now()
    this.#width = 1
    this.#refusal = { reason, until: now + waitMs }
    this.#askAt = now + pollMs(reason, askInMs)
  }

  /** The answer to a document that goes back to the queue. */
  notNow(): Extract<Admission, { kind: 'wait' }> {
    const { reason, until } = this.#refusal
    const leftMs = Math.max(until - performance.now(), this.#options.patienceMs)
    const waitMs = Math.round(leftMs * (1 + 0.25 * this.#options.random()))
    return { kind: 'wait', waitMs, reason: describeWait(reason, waitMs) }
  }
}

/** When to ask again, called or not: the time of a pace, a pause or an outage is known ahead, and what changes it calls. */
export function pollMs(reason: WaitReason, waitMs: number): number {
  switch (reason) {
    case 'places':
      return Math.min(Math.max(2 * waitMs, SHORTEST_PLACES_POLL_MS), LONGEST_PLACES_POLL_MS)
    case 'paused':
    case 'outage':
    case 'rate':
    case 'refused':
      return waitMs
    default:
      return assertNever(reason)
  }
}
