import type { Admission, Departure, Permit, Ticket, Turn } from './admission.ts'
import { answerOf } from './answer-of.ts'
import { type GateState, gateState } from './gate-state.ts'
import { HeldDocuments } from './held-documents.ts'
import { type Feedback, UNSENT } from './feedback.ts'
import { OwnPermits } from './own-permits.ts'
import type { Asks, EnterReply, LeaveReply, Limits, Replies } from './border.ts'
import {
  alivePrefix,
  documentKey,
  type GateKeys,
  GateScript,
  type GateScriptName,
  type RedisClient,
  wakePrefix,
} from './scripts.ts'
import type { Heartbeat } from './heartbeat.ts'
import { UnreadLine } from './unread-line.ts'
import { type Answer, type Next, WaitingLine } from './waiting-line.ts'

export interface RedisGateOptions {
  readonly redis: RedisClient
  readonly keys: GateKeys
  /** Names this process among those that share the gate. */
  readonly process: string
  /** Subscribed to this process's calls. */
  readonly calls: RedisClient
  readonly heartbeat: Pick<Heartbeat, 'renew' | typeof Symbol.asyncDispose>
  readonly windowMs: number
  readonly leaseMs: number
  readonly patienceMs: number
  readonly limitPatienceMs: number
  readonly mostHeld: number
  readonly rateCeiling: number | undefined
  readonly placesCeiling: number | undefined
  readonly random: () => number
}

/** What is known of a document that failed is kept as long as documents may live in the queue (default deadline). */
const REMEMBER_MS = 7 * 24 * 60 * 60 * 1000

/** The limiter over Redis: what is decided is decided in lua/enter.lua and lua/leave.lua, for all processes. */
export class RedisGate implements AsyncDisposable {
  readonly #options: RedisGateOptions
  readonly #enter = new GateScript('enter')
  readonly #leave = new GateScript('leave')
  readonly #state = new GateScript('state')
  readonly #declare = new GateScript('declare')
  readonly #own: OwnPermits
  readonly #line: WaitingLine
  readonly #unread: UnreadLine
  readonly #held: HeldDocuments
  #placesCeiling: number | undefined
  #scriptCalls = 0

  constructor(options: RedisGateOptions) {
    this.#options = options
    this.#placesCeiling = options.placesCeiling
    this.#own = new OwnPermits(options.process)
    this.#held = new HeldDocuments(options.mostHeld)
    this.#line = new WaitingLine({
      ask: (ticket, more) => this.#ask(ticket, more),
      giveBack: (permit) => void this.#giveBack(permit, UNSENT).catch(() => {}),
      standDown: () => void options.redis.zrem(options.keys.line, options.process).catch(() => {}),
      patienceMs: options.patienceMs,
      limitPatienceMs: options.limitPatienceMs,
      random: options.random,
      heardOfNoLimit: () => this.#unread.heardOfNoLimit(),
    })
    this.#unread = new UnreadLine({
      join: (ticket, signal) => this.#line.join(ticket, signal),
      giveBack: (permit) => this.leave(permit, UNSENT).then(ignore, ignore),
      notNow: () => this.#line.notNow(),
      isLimited: () => this.#line.isLimited,
      patienceMs: options.limitPatienceMs,
      now: () => performance.now(),
    })
  }

  /**
   * Waits until a document is to be read for its request: with its permit, or ahead of it where this process gets many.
   * Answers `wait` where it goes back to the queue unread, after about a minute. A turn must be disposed of.
   */
  approach(ticket: Ticket, signal: AbortSignal): Promise<Turn | Extract<Admission, { kind: 'wait' }>> {
    return this.#unread.approach(ticket, signal)
  }

  /**
   * Waits for a permit: about a minute for a limit, longer where its turn is near, 5 s for anything else. Rejects with the
   * reason of `signal`. Every permit must be released by `leave`, once.
   */
  async enter({ turn, ...ticket }: Ticket, signal: AbortSignal): Promise<Admission> {
    const permit = turn?.takePermit() ?? null
    if (permit !== null) return { kind: 'admitted', permit }
    const admission = await this.#line.join(ticket, signal)
    if (admission.kind === 'admitted') turn?.admitted()
    return admission
  }

  async leave(permit: Permit, outcome: Feedback): Promise<Departure> {
    // No hand-over behind a refusal or a failure: what was learned from it may keep the next request back.
    const wentWell = outcome.kind === 'accepted' || outcome.kind === 'answered'
    const reply = await this.#giveBack(permit, outcome, wentWell ? this.#line.next() : null)
    if (reply.pollInMs !== undefined) this.call(reply.pollInMs)
    return { countsAsAttempt: reply.counted, retryInMs: reply.retryInMs ?? null }
  }

  /** Scripts that this process ran, for measurements. */
  get scriptCalls(): number {
    return this.#scriptCalls
  }

  /** A refused document waits here for `ms`, to be next. False where it must go back to the queue instead. */
  hold(ms: number, signal: AbortSignal): Promise<boolean> {
    return this.#held.hold(ms, signal)
  }

  /** A place will be free for this process in so many milliseconds. */
  call(inMs: number): void {
    this.#line.call(inMs)
  }

  /** The service states another number of places than before; refusals still correct it downwards. */
  tellPlaces(ceiling: number): void {
    this.#placesCeiling = ceiling
  }

  /** Shuts the gate for every process on every machine until `resume`; what is in flight ends as it does. */
  async pause(): Promise<void> {
    await this.#options.redis.hset(this.#options.keys.state, 'paused', '1')
  }

  async resume(): Promise<void> {
    await this.#options.redis.hdel(this.#options.keys.state, 'paused')
    await this.#callAllInLine()
  }

  /** Lets the next request through a gate that waits for a stated time, an outage or an account: it may be over. */
  async probe(): Promise<void> {
    await this.#options.redis.hset(this.#options.keys.state, 'probe_now', '1')
    await this.#callAllInLine()
  }

  /** Processes in line ask at the time that the gate gave them, or when they are called. */
  async #callAllInLine(): Promise<void> {
    const { redis, keys } = this.#options
    const inLine = await redis.zrange(keys.line, '0', '-1')
    await Promise.all(inLine.map((process) => redis.publish(`${wakePrefix(keys)}${process}`, '0')))
  }

  /**
   * Makes Redis agree with what this process knows: its permits are exactly those that it holds. For a Redis that lost
   * data or was rolled back; repeatable, and harmless at any moment.
   */
  async redeclare(): Promise<void> {
    const { process, windowMs, heartbeat } = this.#options
    // The heartbeat first: permits of a process without one are taken away.
    const declaration = { process, windowMs, ...this.#own.declaration() }
    await Promise.all([heartbeat.renew(), this.#run(this.#declare, '', declaration)])
  }

  /** What the gate has learned and does, for metrics and the progress line. */
  async state(): Promise<GateState> {
    const { leaseMs, rateCeiling, windowMs } = this.#options
    const ask = { leaseMs, rateCeiling, placesCeiling: this.#placesCeiling, windowMs }
    const reply = await this.#run(this.#state, '', ask)
    return gateState(reply, windowMs, this.#line.length + this.#unread.length)
  }

  /** Leaves the line and rejects every request that still waits. Places that were not released come free. */
  async [Symbol.asyncDispose](): Promise<void> {
    const { redis, keys, process, calls, heartbeat } = this.#options
    const closed = new Error('the gate of this process was closed')
    this.#held[Symbol.dispose]()
    this.#unread.close(closed)
    this.#line.close(closed)
    calls.disconnect()
    await redis.zrem(keys.line, process)
    await heartbeat[Symbol.asyncDispose]()
  }

  async #ask(ticket: Ticket, more: boolean): Promise<Answer> {
    const id = this.#own.ask()
    const { unread } = ticket
    try {
      const reply = await this.#run(this.#enter, ticket.key, { ...this.#limits(), id, more, unread })
      this.#note(id, reply)
      return answerOf(reply, ticket, id)
    } catch (error) {
      this.#own.gone(id)
      throw error
    }
  }

  #note(id: string, reply: EnterReply): void {
    if (reply.kind === 'admitted') this.#own.admitted(id, reply.enteredAt)
    else this.#own.gone(id)
  }

  /** One script call for both: the released place goes, if it can, to the next document. */
  async #giveBack(permit: Permit, outcome: Feedback, next: Next | null = null): Promise<LeaveReply> {
    const { random } = this.#options
    const id = next === null ? null : this.#own.ask()
    this.#own.leaving(permit)
    try {
      const reply = await this.#run(this.#leave, permit.key, {
        ...outcome,
        ...this.#limits(),
        permit,
        rememberMs: REMEMBER_MS,
        random: random(),
        ...(next === null || id === null ? {} : { next: { id, more: next.more, unread: next.ticket.unread } }),
      })
      if (next !== null && id !== null) {
        const entered = reply.entered as EnterReply
        this.#note(id, entered)
        next.hear(answerOf(entered, next.ticket, id))
      }
      return reply
    } catch (error) {
      if (id !== null) this.#own.gone(id)
      next?.fail(error)
      throw error
    } finally {
      this.#own.gone(permit.id)
    }
  }

  /** What both scripts need to admit a request. */
  #limits(): Limits {
    const { process, rateCeiling, windowMs, leaseMs, keys } = this.#options
    const placesCeiling = this.#placesCeiling
    return {
      process,
      windowMs,
      leaseMs,
      rateCeiling,
      placesCeiling,
      alivePrefix: alivePrefix(keys),
      wakePrefix: wakePrefix(keys),
    }
  }

  #run<Name extends GateScriptName>(
    script: GateScript<Name>,
    sourceKey: string,
    ask: Asks[Name],
  ): Promise<Replies[Name]> {
    this.#scriptCalls += 1
    return script.run(this.#options.redis, this.#options.keys, documentKey(this.#options.keys, sourceKey), ask)
  }
}

const ignore = (): void => undefined
