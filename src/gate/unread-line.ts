import type { Admission, Permit, Ticket, Turn } from './admission.ts'
import { invariant } from './invariant.ts'
import { Throughput } from './throughput.ts'
import { FEW } from './waiting-line.ts'

type Wait = Extract<Admission, { kind: 'wait' }>

export interface UnreadLineOptions {
  /** Waits for a permit, as a document that was read does. */
  readonly join: (ticket: Ticket, signal: AbortSignal) => Promise<Admission>
  /** Releases a permit whose document needs none. */
  readonly giveBack: (permit: Permit) => Promise<void>
  /** The answer to a document that goes back to the queue. */
  readonly notNow: () => Wait
  /** The gate keeps requests back for a limit, or does not; false for what may last: an outage, a halt. */
  readonly isLimited: () => boolean
  /** Milliseconds that a document waits here before it goes back to the queue. */
  readonly patienceMs: number
  /** Monotonic milliseconds. */
  readonly now: () => number
}

interface Waiter {
  readonly ticket: Ticket
  readonly signal: AbortSignal
  readonly resolve: (turn: Turn | Wait) => void
  readonly reject: (error: unknown) => void
  /** Out of the line, and without its own timer and listeners. */
  readonly detach: () => void
}

/**
 * Flow control of reads: the documents of one process that were not read yet, in FIFO order. A document that is read long
 * before its request leaves goes back to the queue, and its bytes are read again, which a bucket charges for. A document
 * is read in one of two states:
 *
 * - **ahead** of its permit, while fewer than `Throughput.readAhead` are read and wait for one;
 * - **with** its permit, where the process gets few: the first unread document asks the gate, and is read when it may go.
 *
 * One document at a time is read ahead in any case where the permit cannot come first, or is not what is missing: an
 * outage or a halt may last, and a document whose answer was bought before needs no permit; the latest document that was
 * read needed none; it is to be the probe of a pause, which must leave at once.
 */
export class UnreadLine {
  readonly #options: UnreadLineOptions
  readonly #waiters: Waiter[] = []
  readonly #throughput = new Throughput()
  /** Documents that were handed out to be read and have no permit yet, and those of them that ask for one. */
  #ahead = 0
  #aheadAsking = 0
  /** Ends the question of the first unread document, which was sent to the gate. */
  #asking: AbortController | null = null
  #latestNeededNone = false

  constructor(options: UnreadLineOptions) {
    this.#options = options
  }

  get length(): number {
    return this.#waiters.length
  }

  /** Resolves when the document is to be read, or with `wait` when it must go back to the queue. */
  approach(ticket: Ticket, signal: AbortSignal): Promise<Turn | Wait> {
    signal.throwIfAborted()
    return new Promise((resolve, reject) => {
      const detach = (): void => {
        clearTimeout(patience)
        signal.removeEventListener('abort', abort)
        ticket.until?.removeEventListener('abort', goBack)
        this.#remove(waiter)
      }
      const waiter: Waiter = {
        ticket,
        signal,
        resolve: (turn) => (detach(), resolve(turn)),
        reject: (error) => (detach(), reject(error)),
        detach,
      }
      const abort = (): void => waiter.reject(signal.reason)
      const goBack = (): void => waiter.resolve(this.#options.notNow())
      const expire = (): void => {
        if (this.#waiters.indexOf(waiter) >= FEW) return goBack()
        patience = setTimeout(expire, this.#options.patienceMs)
      }
      let patience = setTimeout(expire, this.#options.patienceMs)
      signal.addEventListener('abort', abort)
      if (ticket.until?.aborted === true) return goBack()
      ticket.until?.addEventListener('abort', goBack)
      this.#waiters.push(waiter)
      this.#handOut()
    })
  }

  /** The gate keeps requests back for what may last: the document that asks unread is read without a permit. */
  heardOfNoLimit(): void {
    if (this.#asking === null) this.#handOut()
    else this.#asking.abort()
  }

  /** Rejects every document that waits; for the end of the process, before the gate's own line is closed. */
  close(error: Error): void {
    for (const waiter of this.#waiters.slice()) waiter.reject(error)
  }

  #handOut(): void {
    for (let first = this.#waiters[0]; first !== undefined; first = this.#waiters[0]) {
      if (this.#ahead < this.#mayReadAhead()) first.resolve(this.#turn(null))
      else if (this.#mayAskUnread()) void this.#ask(first)
      else return
    }
  }

  #mayReadAhead(): number {
    return Math.max(this.#readsFirst() ? 1 : 0, this.#throughput.readAhead(this.#options.now()))
  }

  /** The permit cannot come first, or is not what is missing. */
  #readsFirst(): boolean {
    return this.#latestNeededNone || !this.#options.isLimited()
  }

  /** One question at a time, and none while a document that was read asks. */
  #mayAskUnread(): boolean {
    return !this.#readsFirst() && this.#aheadAsking === 0 && this.#asking === null
  }

  async #ask(waiter: Waiter): Promise<void> {
    const asking = new AbortController()
    this.#asking = asking
    // The gate's line heeds its signals from here on: a permit that comes must not meet a document that has gone.
    waiter.detach()
    const { ticket, signal } = waiter
    const until = ticket.until === undefined ? asking.signal : AbortSignal.any([ticket.until, asking.signal])
    try {
      const admission = await this.#options.join({ ...ticket, unread: true, until }, signal)
      this.#asking = null
      if (admission.kind === 'admitted') waiter.resolve(this.#turn(admission.permit))
      else if (this.#isReadAnyway(admission, ticket)) waiter.resolve(this.#turn(null))
      else waiter.resolve(this.#options.notNow())
    } catch (error) {
      this.#asking = null
      waiter.reject(error)
    }
    this.#handOut()
  }

  #isReadAnyway(admission: Exclude<Admission, { kind: 'admitted' }>, { until }: Ticket): boolean {
    if (until?.aborted === true) return false
    return !this.#options.isLimited() || (admission.kind === 'wait' && admission.readFirst === true)
  }

  #turn(permit: Permit | null): Turn {
    const { now } = this.#options
    const handedOutAt = now()
    if (permit === null) this.#ahead += 1
    else this.#throughput.passed(handedOutAt)
    const tookMs = (): number => {
      const readMs = now() - handedOutAt
      this.#throughput.readTook(readMs)
      return readMs
    }
    return new ReadingTurn(permit, {
      needsPermit: () => {
        this.#latestNeededNone = false
        if (permit === null) this.#aheadAsking += 1
        return tookMs()
      },
      passed: (asked) => {
        this.#forget(asked)
        this.#throughput.passed(now())
        this.#handOut()
      },
      neededNone: () => {
        this.#latestNeededNone = true
        tookMs()
      },
      putOff: () => {
        this.#forget(true)
        this.#handOut()
      },
      giveBack: this.#options.giveBack,
    })
  }

  /** A document that was read ahead got its permit, or needs none. */
  #forget(asked: boolean): void {
    this.#ahead -= 1
    if (asked) this.#aheadAsking -= 1
    const facts = { ahead: this.#ahead, asking: this.#aheadAsking }
    invariant(
      this.#ahead >= this.#aheadAsking && this.#aheadAsking >= 0,
      'a document read ahead is counted once',
      facts,
    )
  }

  #remove(waiter: Waiter): void {
    const index = this.#waiters.indexOf(waiter)
    if (index !== -1) this.#waiters.splice(index, 1)
  }
}

interface TurnActions {
  /** Returns how long it took to read the document, milliseconds. */
  needsPermit(): number
  passed(asked: boolean): void
  neededNone(): void
  putOff(): void
  giveBack(permit: Permit): Promise<void>
}

/** Read ahead or with its permit → asked for a permit → admitted; or disposed of at any time. */
class ReadingTurn implements Turn {
  readonly kind = 'turn'
  readonly #actions: TurnActions
  #permit: Permit | null
  #isAhead: boolean
  #asked = false

  constructor(permit: Permit | null, actions: TurnActions) {
    this.#permit = permit
    this.#isAhead = permit === null
    this.#actions = actions
  }

  /** The permit counts from now on: what was learned of its request must not contain the time of the read. */
  takePermit(): Permit | null {
    if (this.#asked) return null
    this.#asked = true
    const readMs = this.#actions.needsPermit()
    const permit = this.#permit
    this.#permit = null
    return permit === null ? null : { ...permit, enteredAt: permit.enteredAt + readMs }
  }

  admitted(): void {
    if (!this.#isAhead) return
    this.#isAhead = false
    this.#actions.passed(this.#asked)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (!this.#asked) this.#actions.neededNone()
    const permit = this.#permit
    this.#permit = null
    if (this.#isAhead) {
      this.#isAhead = false
      if (this.#asked) this.#actions.putOff()
      else this.#actions.passed(false)
    }
    if (permit !== null) await this.#actions.giveBack(permit)
  }
}
