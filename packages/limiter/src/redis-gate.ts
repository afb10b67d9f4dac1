import type { ScriptArguments, DecisionArguments, ScriptReplies, RequestArguments } from './script-schemas.ts'
import { type Feedback, UNSENT } from './feedback.ts'
import { type GateState, gateState } from './gate-state.ts'
import type { Heartbeat } from './heartbeat.ts'
import { OwnPermits } from './own-permits.ts'
import type { NoPermit, Permit, Released, SentPermit, PermitRequest } from './permit.ts'
import {
  alivePrefix,
  documentKey,
  type GateKeys,
  GateScript,
  type GateScriptName,
  type RedisClient,
  wakePrefix,
} from './scripts.ts'
import { type AskResult, type Clock, type NextRequest, WaitingLine } from './waiting-line.ts'

export interface RedisGateOptions {
  readonly redis: RedisClient
  readonly keys: GateKeys
  /** Id of this process among those that share the gate. */
  readonly process: string
  /** Subscribed to this process's calls. */
  readonly calls: Pick<RedisClient, 'disconnect'>
  readonly heartbeat: Pick<Heartbeat, 'renew' | typeof Symbol.asyncDispose>
  readonly windowMs: number
  readonly leaseMs: number
  readonly patienceMs: number
  readonly limitPatienceMs: number
  readonly maxHeld: number
  readonly rateCeiling: number | undefined
  readonly placesCeiling: number | undefined
  readonly random: () => number
  readonly clock: Clock
  /** Clock of simulations, which replaces Redis's. */
  readonly scriptNow?: () => number
}

/** TTL of the state of a failed document: the maximum age of documents in the queue (default deadline). */
const DOCUMENT_STATE_TTL_MS = 7 * 24 * 60 * 60 * 1000

/**
 * The limiter's side in a process: the scripts in Redis decide for all processes, the waiting line schedules their
 * calls.
 */
export class RedisGate implements AsyncDisposable {
  readonly #options: RedisGateOptions
  readonly #scripts: { readonly [Name in GateScriptName]: GateScript<Name> } = {
    acquire: new GateScript('acquire'),
    release: new GateScript('release'),
    snapshot: new GateScript('snapshot'),
    declare: new GateScript('declare'),
  }
  readonly #own: OwnPermits
  readonly #line: WaitingLine
  #placesCeiling: number | undefined
  #scriptCalls = 0

  constructor(options: RedisGateOptions) {
    this.#options = options
    this.#placesCeiling = options.placesCeiling
    this.#own = new OwnPermits(options.process)
    this.#line = new WaitingLine({
      ...options,
      ask: (want, more) => this.#ask(want, more),
      leaveLine: () => void options.redis.zrem(options.keys.line, options.process).catch(() => {}),
    })
  }

  /**
   * Waits for a permit: about a minute for a limit, longer if its turn is near, 5 s for any other reason. Resolves with
   * the reason if the request returns to the queue; rejects with the reason of `signal`. The caller must release every
   * permit, once.
   */
  acquire(want: PermitRequest, signal: AbortSignal): Promise<Permit | NoPermit> {
    return this.#line.acquire(want, signal)
  }

  /** Reads the state of the gate, for metrics and the progress line. */
  async snapshot(): Promise<GateState> {
    const { leaseMs, rateCeiling, windowMs } = this.#options
    const ask = { leaseMs, rateCeiling, placesCeiling: this.#placesCeiling, windowMs }
    return gateState(await this.#run('snapshot', '', ask), windowMs, this.#line.length)
  }

  /** Closes the gate for every process on every machine until `resume`; requests in flight finish. */
  async pause(): Promise<void> {
    await this.#options.redis.hset(this.#options.keys.state, 'paused', '1')
  }

  /** Ends a manual pause, and admits the next request through an outage, a halt or a stated wait, which may be over. */
  async resume(): Promise<void> {
    const { redis, keys } = this.#options
    await redis.multi().hdel(keys.state, 'paused').hset(keys.state, 'probe_now', '1').exec()
    const inLine = await redis.zrange(keys.line, '0', '-1')
    await Promise.all(inLine.map((process) => redis.publish(`${wakePrefix(keys)}${process}`, '0')))
  }

  /** A place will be free for this process in `inMs`. */
  announcePlace(inMs: number): void {
    this.#line.announcePlace(inMs)
  }

  /** The service states another number of places than before; refusals still correct it downwards. */
  setPlacesCeiling(ceiling: number): void {
    this.#placesCeiling = ceiling
  }

  /** Number of script calls of this process, for measurements. */
  get scriptCalls(): number {
    return this.#scriptCalls
  }

  /**
   * Reconciles Redis with this process after a data loss or rollback: its permits are exactly those that it holds.
   * Idempotent, and safe at any moment.
   */
  async redeclare(): Promise<void> {
    const { process, windowMs, heartbeat } = this.#options
    const ask = { process, windowMs, ...this.#own.declaration() }
    // Renews the heartbeat first: Redis takes permits away from a process without one.
    await Promise.all([heartbeat.renew(), this.#run('declare', '', ask)])
  }

  /** Leaves the line and rejects every waiting request. Frees unreleased places. */
  async [Symbol.asyncDispose](): Promise<void> {
    const { redis, keys, process, calls, heartbeat } = this.#options
    this.#line.close(new Error('the gate of this process was closed'))
    calls.disconnect()
    await redis.zrem(keys.line, process)
    await heartbeat[Symbol.asyncDispose]()
  }

  async #ask(want: PermitRequest, more: boolean): Promise<AskResult> {
    const id = this.#own.register()
    try {
      return this.#answer(await this.#run('acquire', want.key, { ...this.#limits(), id, more }), id, want)
    } catch (error) {
      this.#own.forget(id)
      throw error
    }
  }

  #answer(reply: ScriptReplies['acquire'], id: string, { key }: PermitRequest): AskResult {
    if (reply.kind !== 'permit') {
      this.#own.forget(id)
      return reply
    }
    const { next = null, ...sent } = reply
    this.#own.recordGrant(id, sent.sentAt)
    return { kind: 'permit', permit: this.#permit({ ...sent, id }, key), next }
  }

  #permit(sent: SentPermit, key: string): Permit {
    let isReleased = false
    const release = (feedback: Feedback): Promise<Released> => {
      isReleased = true
      return this.#release(sent, key, feedback)
    }
    return {
      kind: 'permit',
      release,
      [Symbol.asyncDispose]: async () => void (isReleased || (await release(UNSENT))),
    }
  }

  async #release(permit: SentPermit, key: string, feedback: Feedback): Promise<Released> {
    this.#own.recordRelease(permit.id)
    // No hand-off after a refusal or failure: the updated limits may not admit another request.
    const isSuccess = feedback.kind === 'accepted' || feedback.kind === 'answered'
    const next = isSuccess ? this.#line.next() : null
    const wanted: RequestArguments | null = next === null ? null : { id: this.#own.register(), more: next.hasMore }
    try {
      const reply = await this.#run('release', key, {
        ...feedback,
        ...this.#limits(),
        permit,
        rememberMs: DOCUMENT_STATE_TTL_MS,
        random: this.#options.random(),
        ...(wanted === null ? {} : { next: wanted }),
      })
      if (next !== null && wanted !== null) this.#answerNext(next, wanted, reply)
      if (reply.pollInMs !== undefined) this.announcePlace(reply.pollInMs)
      return { countsAsAttempt: reply.counted, retryInMs: reply.retryInMs ?? null }
    } catch (error) {
      if (wanted !== null) this.#own.forget(wanted.id)
      next?.onError(error)
      throw error
    } finally {
      this.#own.forget(permit.id)
    }
  }

  #answerNext(next: NextRequest, { id }: RequestArguments, reply: ScriptReplies['release']): void {
    if (reply.next === undefined) throw new Error('the reply of the limiter lacks the next request')
    next.onAnswer(this.#answer(reply.next, id, next.want))
  }

  /** Arguments that both scripts need to grant a permit. */
  #limits(): DecisionArguments {
    const { process, rateCeiling, windowMs, leaseMs, keys } = this.#options
    return {
      process,
      windowMs,
      leaseMs,
      rateCeiling,
      placesCeiling: this.#placesCeiling,
      alivePrefix: alivePrefix(keys),
      wakePrefix: wakePrefix(keys),
    }
  }

  async #run<Name extends GateScriptName>(
    name: Name,
    key: string,
    ask: ScriptArguments[Name],
  ): Promise<ScriptReplies[Name]> {
    this.#scriptCalls += 1
    const { redis, keys, scriptNow } = this.#options
    const timed = scriptNow === undefined ? ask : { ...ask, now: scriptNow() }
    return this.#scripts[name].run(redis, keys, documentKey(keys, key), timed)
  }
}
