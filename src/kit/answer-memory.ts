import { invariant } from './invariant.ts'

/**
 * Counting semaphore over the bytes of answers that one process holds, for all documents in flight.
 *
 * A holder grows while the sum stays within the limit; else it waits, and backpressure stops the answer on its
 * connection. The oldest holder never waits, so one of them always finishes: the sum exceeds the limit by at most one
 * answer. Callers must not wait for another holder (a slot at the gate) while they hold bytes.
 */
export class AnswerMemory {
  readonly limitBytes: number
  /** In the order in which they first held bytes or waited for them. */
  readonly #holders = new Map<AnswerHold, number>()
  readonly #waiting = new Map<AnswerHold, Waiter>()
  #used = 0
  #peak = 0

  constructor(limitBytes: number) {
    this.limitBytes = limitBytes
  }

  get usedBytes(): number {
    return this.#used
  }

  /** Peak number of bytes held at once. */
  get peakBytes(): number {
    return this.#peak
  }

  /** Creates a holder for one document; it holds nothing until it grows. Disposal releases everything. */
  hold(): AnswerHold {
    return new AnswerHold(this)
  }

  /** @internal */
  tryGrow(hold: AnswerHold, bytes: number): boolean {
    if (!this.#holders.has(hold)) this.#holders.set(hold, 0)
    const mayGrow = this.#isFirst(hold) || (this.#waiting.size === 0 && this.#used + bytes <= this.limitBytes)
    if (mayGrow) this.#add(hold, bytes)
    return mayGrow
  }

  /** @internal */
  async grow(hold: AnswerHold, bytes: number, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted()
    if (this.tryGrow(hold, bytes)) return
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    const onAbort = (): void => {
      this.#waiting.delete(hold)
      reject(signal.reason as Error)
      this.giveBack(hold, 0)
    }
    signal.addEventListener('abort', onAbort, { once: true })
    const grant = (): void => {
      signal.removeEventListener('abort', onAbort)
      resolve()
    }
    this.#waiting.set(hold, { bytes, grant })
    await promise
  }

  /** @internal */
  giveBack(hold: AnswerHold, bytes: number): void {
    const held = this.#holders.get(hold)
    if (held === undefined) return
    const left = Math.max(0, held - bytes)
    this.#used -= held - left
    if (left > 0 || this.#waiting.has(hold)) this.#holders.set(hold, left)
    else this.#holders.delete(hold)
    const used = this.#used
    invariant(used >= 0 && (this.#holders.size > 0 || used === 0), 'bytes of answers are released once', { used })
    this.#serve()
  }

  /** Grants waiting requests in order, up to the first that does not fit. */
  #serve(): void {
    const [first] = this.#holders.keys()
    const head = first === undefined ? undefined : this.#waiting.get(first)
    if (first !== undefined && head !== undefined) this.#grant(first, head)
    for (const [hold, waiter] of this.#waiting) {
      if (this.#used + waiter.bytes > this.limitBytes) return
      this.#grant(hold, waiter)
    }
  }

  #grant(hold: AnswerHold, { bytes, grant }: Waiter): void {
    this.#waiting.delete(hold)
    this.#add(hold, bytes)
    grant()
  }

  #add(hold: AnswerHold, bytes: number): void {
    invariant(bytes >= 0, 'an answer has no negative number of bytes', { bytes })
    this.#holders.set(hold, (this.#holders.get(hold) ?? 0) + bytes)
    this.#used += bytes
    const isWithin = this.#used <= this.limitBytes || this.#isFirst(hold)
    invariant(isWithin, 'answers exceed their memory by the oldest one only', { used: this.#used, bytes })
    this.#peak = Math.max(this.#peak, this.#used)
  }

  #isFirst(hold: AnswerHold): boolean {
    const [first] = this.#holders.keys()
    return first === hold
  }
}

interface Waiter {
  readonly bytes: number
  readonly grant: () => void
}

/** Share of one document in an `AnswerMemory`. Its calls of `grow` must not overlap. */
export class AnswerHold implements Disposable {
  readonly #memory: AnswerMemory

  constructor(memory: AnswerMemory) {
    this.#memory = memory
  }

  /** False if it would have to wait; the holding is then unchanged. */
  tryGrow(bytes: number): boolean {
    return this.#memory.tryGrow(this, bytes)
  }

  /** Waits until `bytes` more fit. Rejects with the signal's reason. */
  grow(bytes: number, signal: AbortSignal): Promise<void> {
    return this.#memory.grow(this, bytes, signal)
  }

  giveBack(bytes: number = Infinity): void {
    this.#memory.giveBack(this, bytes)
  }

  [Symbol.dispose](): void {
    this.giveBack()
  }
}
