import { assertNever } from './assert-never.ts'
import type { WaitReason, WaitReply } from './script-schemas.ts'
import { describeWait } from './describe-wait.ts'
import type { NoPermit, Permit, PermitRequest } from './permit.ts'

/** Result of one request to the gate. */
export type AskResult =
  /** `next`: wait of the requests that are still in line. */
  | { readonly kind: 'permit'; readonly permit: Permit; readonly next: WaitReply | null }
  | WaitReply
  | Extract<NoPermit, { kind: 'halted' }>

/** Clock of the line: of the process, or of a simulation. */
export interface Clock {
  /** Monotonic milliseconds. */
  now(): number
  /** Calls `act` after `ms`, unless the caller invokes the returned function first. */
  after(ms: number, act: () => void): () => void
}

export interface WaitingLineOptions {
  /** Asks the shared limiter for a permit, once. `more`: other requests of this process wait behind this one. */
  readonly ask: (want: PermitRequest, more: boolean) => Promise<AskResult>
  /** This process was called, but none of its requests waits any more. */
  readonly leaveLine: () => void
  /** Milliseconds that a request waits in line before it returns to the queue. */
  readonly patienceMs: number
  /** The same for a request that waits for a limit. */
  readonly limitPatienceMs: number
  /** Maximum number of throttled requests that wait here until they are due; further ones return to the queue. */
  readonly maxHeld: number
  readonly random: () => number
  readonly clock: Clock
}

/** The first waiting request, on its way to a place that another one releases. The caller must call one of the two. */
export interface NextRequest {
  readonly want: PermitRequest
  /** Further requests wait. */
  readonly hasMore: boolean
  onAnswer(answer: AskResult): void
  onError(error: unknown): void
}

interface Entry {
  readonly want: PermitRequest
  /** Time at which it may ask, and at which the line considers its return; by the clock. */
  readonly dueAt: number
  patienceEndsAt: number
  isAsking: boolean
  readonly resolve: (outcome: Permit | NoPermit) => void
  readonly reject: (error: unknown) => void
}

/** A releasing process calls the next one: polling without a call detects the places of dead processes. */
const MIN_PLACES_POLL_MS = 1_000
const MAX_PLACES_POLL_MS = 30_000
/** A throttled request with a longer wait returns to the queue. */
const MAX_HELD_MS = 15 * 60_000

/** Waits that end without outside action. */
const LIMIT_REASONS: ReadonlySet<WaitReason> = new Set(['places', 'rate', 'refused'])
/** Number of requests that stay in line at any pace. */
const MIN_IN_LINE = 2
/** Maximum number of concurrent polls while the gate admits every request. */
const MAX_POLLS = 16

/**
 * The requests of one process that wait for a permit. Throttled ones come first, by due time; the others follow in the
 * order of arrival.
 *
 * | state | entered | left |
 * | --- | --- | --- |
 * | held | a limit refused it before, and its time has not come | it is due → waiting; it goes back when `until` aborts |
 * | waiting | it is due; the gate let it wait | it is among the first, and the line may ask → asking; its patience is over → back |
 * | asking | a request to the gate is on its way, alone or with a release | a permit, a halt, or an error; else → waiting |
 *
 * While the gate refuses, only the first due request asks, so the load on the gate does not depend on the number of
 * waiting requests. It asks at once if the line was empty, after a permit, and when a release of any process calls it.
 * Otherwise it asks at the time that the last reply named. Each permit doubles the number of concurrent polls: one at a
 * time, a busy process would get one permit per turn of its event loop. While all places are taken no request has to
 * ask: the release of a place carries the next one along (`next`). A request that leaves while it is asking releases
 * the permit that arrives.
 */
export class WaitingLine {
  readonly #options: WaitingLineOptions
  readonly #entries: Entry[] = []
  #asking = 0
  #pollLimit = 1
  /** Earliest useful time to ask, and time of an announced place; by the clock. */
  #askAt = 0
  #announcedAt = Infinity
  #refusal: { reason: WaitReason; until: number } = { reason: 'places', until: 0 }
  #stopTimer: () => void = () => undefined
  /** Times of the last permits. */
  readonly #recentPermits: number[] = []

  constructor(options: WaitingLineOptions) {
    this.#options = options
  }

  get length(): number {
    return this.#entries.length
  }

  /** Resolves with the permit, or with the reason of the return to the queue. Rejects with the reason of `signal`. */
  acquire(want: PermitRequest, signal: AbortSignal): Promise<Permit | NoPermit> {
    signal.throwIfAborted()
    const { clock, maxHeld, patienceMs } = this.#options
    const { againInMs = 0, until } = want
    if (until?.aborted === true) return Promise.resolve(this.#waitResult(againInMs))
    const held = this.#entries.filter(({ dueAt }) => dueAt > clock.now()).length
    if (againInMs > MAX_HELD_MS || (againInMs > 0 && held >= maxHeld)) {
      return Promise.resolve({ kind: 'wait', waitMs: againInMs, reason: describeWait('refused', againInMs) })
    }
    return new Promise((resolve, reject) => {
      const leave = (): void => {
        signal.removeEventListener('abort', abort)
        until?.removeEventListener('abort', goBack)
        this.#remove(entry)
      }
      const dueAt = clock.now() + againInMs
      const entry: Entry = {
        want,
        dueAt,
        patienceEndsAt: dueAt + patienceMs,
        isAsking: false,
        resolve: (outcome) => (leave(), resolve(outcome)),
        reject: (error) => (leave(), reject(error)),
      }
      const abort = (): void => (entry.reject(signal.reason), this.#leaveLineIfIdle())
      const goBack = (): void => this.#returnToQueue(entry)
      signal.addEventListener('abort', abort)
      until?.addEventListener('abort', goBack)
      this.#insert(entry)
      this.#schedule()
    })
  }

  /**
   * Takes the first waiting request, so that the release of a place asks for it in the same script call. Null if asking
   * is futile.
   */
  next(): NextRequest | null {
    if (this.#refusal.reason !== 'places' && this.#askAt > this.#options.clock.now()) return null
    const [entry, ...others] = this.#waiting()
    if (entry === undefined) return null
    this.#beginAsking(entry)
    return {
      want: entry.want,
      hasMore: others.length > 0,
      onAnswer: (answer) => {
        this.#endAsking(entry)
        this.#handleAnswer(entry, answer)
        this.#schedule()
      },
      onError: (error) => {
        this.#endAsking(entry)
        this.#rejectAll(error)
      },
    }
  }

  /** The gate announces a free place for this process in `ms`. */
  announcePlace(ms: number): void {
    if (this.#entries.length === 0) return this.#leaveLineIfIdle()
    this.#announcedAt = Math.min(this.#announcedAt, this.#options.clock.now() + ms)
    this.#schedule()
  }

  /** Rejects every waiting request at the end of the process. */
  close(error: Error): void {
    this.#rejectAll(error)
    this.#stopTimer()
  }

  #insert(entry: Entry): void {
    const wasRefused = ({ want }: Entry): boolean => want.againInMs !== undefined
    const index = wasRefused(entry)
      ? this.#entries.findIndex((other) => !wasRefused(other) || other.dueAt > entry.dueAt)
      : -1
    this.#entries.splice(index === -1 ? this.#entries.length : index, 0, entry)
  }

  #remove(entry: Entry): void {
    const index = this.#entries.indexOf(entry)
    if (index !== -1) this.#entries.splice(index, 1)
  }

  #returnToQueue(entry: Entry): void {
    entry.resolve(this.#waitResult(entry.dueAt - this.#options.clock.now()))
    this.#leaveLineIfIdle()
  }

  /** A process without requests must not own the next probe. Its next request asks at once. */
  #leaveLineIfIdle(): void {
    if (this.#entries.length > 0 || this.#asking > 0) return
    this.#askAt = 0
    this.#announcedAt = Infinity
    this.#options.leaveLine()
  }

  /** Due requests that are not asking, in their order. */
  #waiting(): readonly Entry[] {
    const now = this.#options.clock.now()
    return this.#entries.filter(({ dueAt, isAsking }) => !isAsking && dueAt <= now)
  }

  /** Asks if it is time, returns requests past their timeout, and sets the one timer for the next event. */
  #schedule(): void {
    this.#stopTimer()
    const { clock } = this.#options
    this.#askForFirst()
    this.#returnExpired()
    if (this.#entries.length === 0) return
    const now = clock.now()
    const mayAskAt = this.#asking >= this.#pollLimit ? Infinity : Math.min(this.#askAt, this.#announcedAt)
    const wakeAt = this.#entries.reduce((soonest, { dueAt, isAsking, patienceEndsAt }) => {
      const at = isAsking ? Infinity : Math.max(dueAt, mayAskAt)
      return Math.min(soonest, at, dueAt > now ? Infinity : patienceEndsAt)
    }, Infinity)
    if (wakeAt < Infinity) this.#stopTimer = clock.after(Math.max(wakeAt - now, 0), () => this.#schedule())
  }

  #askForFirst(): void {
    if (Math.min(this.#askAt, this.#announcedAt) > this.#options.clock.now()) return
    const waiting = this.#waiting()
    const first = waiting.slice(0, Math.max(0, this.#pollLimit - this.#asking))
    if (first.length === 0) return
    this.#announcedAt = Infinity
    this.#askAt = 0
    for (const entry of first) void this.#ask(entry, waiting.length > first.length)
  }

  async #ask(entry: Entry, more: boolean): Promise<void> {
    this.#beginAsking(entry)
    try {
      const answer = await this.#options.ask(entry.want, more)
      this.#endAsking(entry)
      this.#handleAnswer(entry, answer)
    } catch (error) {
      this.#endAsking(entry)
      this.#rejectAll(error)
    }
    this.#schedule()
  }

  #beginAsking(entry: Entry): void {
    entry.isAsking = true
    this.#asking += 1
  }

  #endAsking(entry: Entry): void {
    entry.isAsking = false
    this.#asking -= 1
  }

  /**
   * A returned request is read again later. A request that waits for a limit therefore stays while its turn is near.
   */
  #returnExpired(): void {
    const now = this.#options.clock.now()
    const { patienceMs, limitPatienceMs } = this.#options
    const isLimited = limitPatienceMs > patienceMs && LIMIT_REASONS.has(this.#refusal.reason)
    while ((this.#recentPermits[0] ?? now) < now - limitPatienceMs) this.#recentPermits.shift()
    for (const [index, entry] of this.#entries.slice().entries()) {
      if (now < entry.patienceEndsAt) continue
      const isNear = now - entry.dueAt < limitPatienceMs || index < MIN_IN_LINE + 2 * this.#recentPermits.length
      if (isLimited && isNear) entry.patienceEndsAt = now + patienceMs
      else this.#returnToQueue(entry)
    }
  }

  #rejectAll(error: unknown): void {
    for (const entry of this.#entries.slice()) entry.reject(error)
  }

  #handleAnswer(entry: Entry, answer: AskResult): void {
    switch (answer.kind) {
      case 'permit':
        this.#pollLimit = Math.min(2 * this.#pollLimit, MAX_POLLS)
        this.#recentPermits.push(this.#options.clock.now())
        if (this.#recentPermits.length > MAX_POLLS) this.#recentPermits.shift()
        this.#askAt = 0 // Unless the reply names a time, this process has left the line and gets no call.
        if (answer.next !== null) this.#delayPolls(answer.next)
        if (this.#entries.includes(entry)) entry.resolve(answer.permit)
        else void Promise.resolve(answer.permit[Symbol.asyncDispose]()).catch(() => undefined)
        return
      case 'wait':
        return this.#delayPolls(answer)
      case 'halted':
        this.#pollLimit = 1
        for (const other of this.#waiting()) other.resolve(answer)
        return
      default:
        return assertNever(answer)
    }
  }

  #delayPolls({ reason, waitMs, askInMs = waitMs }: WaitReply): void {
    const now = this.#options.clock.now()
    this.#pollLimit = 1
    this.#refusal = { reason, until: now + waitMs }
    this.#askAt = now + pollMs(reason, askInMs)
  }

  /** Result for a request that returns to the queue, no sooner than it is due. */
  #waitResult(dueInMs: number): NoPermit {
    const { clock, patienceMs, random } = this.#options
    const { reason, until } = this.#refusal
    const leftMs = Math.max(until - clock.now(), patienceMs, dueInMs)
    const waitMs = Math.round(leftMs * (1 + 0.25 * random()))
    return { kind: 'wait', waitMs, reason: describeWait(reason, waitMs) }
  }
}

/**
 * Next poll without a call: the time of a pace, a pause or an outage is known in advance, and a change calls the
 * process.
 */
function pollMs(reason: WaitReason, waitMs: number): number {
  if (reason !== 'places') return waitMs
  return Math.min(Math.max(2 * waitMs, MIN_PLACES_POLL_MS), MAX_PLACES_POLL_MS)
}
