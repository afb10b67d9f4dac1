import { assertNever } from '#src/document/assert-never.ts'
import { backoffMs } from '#src/document/backoff.ts'
import type { Feedback } from '#src/gate/feedback.ts'
import type { Asks, EnterReply, Limits, Replies, WaitReason } from '#src/gate/border.ts'
import { documentKey, type GateKeys, GateScript, type RedisClient, wakePrefix } from '#src/gate/scripts.ts'
import { pollMs } from '#src/gate/waiting-line.ts'
import type { Permit } from '#src/gate/admission.ts'
import { sourceKey } from '#src/document/ids.ts'
import type { SimulatedAnswer, SimulatedDocument } from './simulated-service.ts'
import type { SimulatedTime } from './simulated-time.ts'

/** `failed`: the service failed it five times. `lost`: it ended without that. */
export type Fate = 'done' | 'again' | 'failed' | 'lost'

export interface WorkerDeps {
  readonly time: SimulatedTime
  readonly service: { request(document: SimulatedDocument, answered: (answer: SimulatedAnswer) => void): void }
  readonly redis: RedisClient
  /** Hears every call of the gate to a waiting process, in order. */
  readonly calls: RedisClient
  readonly keys: GateKeys
  readonly random: () => number
  readonly next: () => SimulatedDocument
  /** Told of every answer, and what became of the document. */
  readonly answered: (process: number, sentAt: number, status: number, fate: Fate) => void
  /** An attempt was used up though the document came back. */
  readonly burnt?: () => void
  /** The document comes back after so long. */
  readonly postpone: (document: SimulatedDocument, ms: number) => void
}

/** A document that may take over the place which another gives back. */
interface Next {
  readonly id: string
  readonly more: boolean
  readonly document: SimulatedDocument
}

/** One trip to Redis. */
const REDIS_MS = 1
const ATTEMPTS = 5
const ENTER = new GateScript('enter')
const LEAVE = new GateScript('leave')

/**
 * One process with its slots, asking the very scripts that workers ask, at the simulated time. How it waits is as in
 * src/gate/waiting-line.ts, without patience: the backlog never ends.
 */
export class SimulatedWorker {
  scriptCalls = 0
  readonly #deps: WorkerDeps
  readonly #process: number
  readonly #waiting: SimulatedDocument[] = []
  #asking = false
  #reason: WaitReason = 'places'
  #askAt = 0
  #calledFor = Infinity
  #entered = 0

  constructor(process: number, deps: WorkerDeps) {
    this.#process = process
    this.#deps = deps
  }

  /** A free slot takes its next document. */
  startSlot(): void {
    this.#waiting.push(this.#deps.next())
    this.#schedule()
  }

  call(ms: number): void {
    this.#calledFor = Math.min(this.#calledFor, this.#deps.time.now + ms)
    this.#schedule()
  }

  #schedule(): void {
    if (this.#asking || this.#waiting.length === 0) return
    const at = Math.min(this.#askAt, this.#calledFor)
    this.#deps.time.after(at - this.#deps.time.now, async () => {
      const stillDue = Math.min(this.#askAt, this.#calledFor) === at
      if (stillDue && !this.#asking && this.#waiting.length > 0) await this.#ask()
    })
  }

  async #ask(): Promise<void> {
    const { time } = this.#deps
    this.#asking = true
    this.#calledFor = Infinity
    this.#askAt = 0
    this.#entered += 1
    const id = `${this.#process}-${this.#entered}`
    const document = this.#waiting[0] as SimulatedDocument
    const more = this.#waiting.length > 1
    const reply = await this.#run(ENTER, document, { id, more })
    // All that the script published is heard before this is answered.
    await this.#deps.calls.ping()
    time.after(REDIS_MS, () => {
      this.#asking = false
      if (reply.kind === 'admitted') {
        this.#waiting.shift()
        this.#admit(document, id, reply)
      } else if (reply.kind === 'wait') this.#wait(reply.reason, reply.askInMs ?? reply.waitMs)
      else if (reply.kind === 'halted') this.#askAt = time.now + Math.min(reply.retryInMs, 1_000)
      this.#schedule()
    })
  }

  #admit(document: SimulatedDocument, id: string, reply: Extract<EnterReply, { kind: 'admitted' }>): void {
    const { kind: _, fullForMs, ...entered } = reply
    if (fullForMs !== undefined) this.#wait('places', fullForMs)
    this.#send(document, { ...entered, id, key: sourceKey(`${document.id}`) })
  }

  #wait(reason: WaitReason, ms: number): void {
    this.#reason = reason
    this.#askAt = this.#deps.time.now + pollMs(reason, ms)
  }

  #send(document: SimulatedDocument, permit: Permit): void {
    const { service, time } = this.#deps
    const sentAt = time.now
    service.request(document, (answer) => this.#leave(document, permit, answer, time.now - sentAt))
  }

  async #leave(document: SimulatedDocument, permit: Permit, answer: SimulatedAnswer, ms: number): Promise<void> {
    const { random, postpone, answered, calls, time } = this.#deps
    const next = answer.status === 200 ? this.#next() : null
    const reply = await this.#run(LEAVE, document, {
      ...outcomeOf(answer, ms),
      permit,
      rememberMs: 3_600_000,
      random: random(),
      ...(next === null ? {} : { next }),
    })
    // All that the script published is heard before this is answered.
    await calls.ping()
    if (reply.pollInMs !== undefined) this.call(reply.pollInMs)
    if (next !== null) time.after(REDIS_MS, () => this.#hear(next, reply.entered))
    if (answer.status !== 200 && reply.counted) {
      document.attempts += 1
      this.#deps.burnt?.()
    }
    if (answer.status === 500 || answer.status === 408) document.failures += 1
    const fate = fateOf(document, answer)
    answered(this.#process, time.now - ms, answer.status, fate)
    if (fate === 'again') postpone(document, reply.retryInMs ?? backoffMs(document.attempts, null, random))
    time.after(REDIS_MS, () => this.startSlot())
  }

  #next(): Next | null {
    if (this.#reason !== 'places' && this.#askAt > this.#deps.time.now) return null
    const document = this.#waiting.length > (this.#asking ? 1 : 0) ? this.#waiting.pop() : undefined
    if (document === undefined) return null
    this.#entered += 1
    return { id: `${this.#process}-${this.#entered}`, more: this.#waiting.length > 0, document }
  }

  #hear({ id, document }: Next, reply: EnterReply | undefined): void {
    if (reply?.kind === 'admitted') this.#admit(document, id, reply)
    else {
      this.#waiting.push(document)
      if (reply?.kind === 'wait') this.#wait(reply.reason, reply.askInMs ?? reply.waitMs)
    }
    this.#schedule()
  }

  #run<Name extends 'enter' | 'leave'>(
    script: GateScript<Name>,
    document: SimulatedDocument,
    ask: Omit<Asks[Name], keyof Limits>,
  ): Promise<Replies[Name]> {
    const { redis, keys, time } = this.#deps
    this.scriptCalls += 1
    // Redis's clock never starts at nothing.
    const now = 1_000_000 + Math.round(time.now * 10) / 10
    const told = {
      process: `${this.#process}`,
      windowMs: 60_000,
      leaseMs: 330_000,
      wakePrefix: wakePrefix(keys),
      now,
    }
    return script.run(redis, keys, documentKey(keys, `${document.id}`), { ...ask, ...told } as unknown as Asks[Name])
  }
}

function fateOf({ attempts, failures }: SimulatedDocument, { status }: SimulatedAnswer): Fate {
  if (status === 200) return 'done'
  if (attempts < ATTEMPTS) return 'again'
  return failures >= ATTEMPTS ? 'failed' : 'lost'
}

function outcomeOf(answer: SimulatedAnswer, durationMs: number): Feedback {
  switch (answer.status) {
    case 200:
      return { kind: 'accepted', durationMs, queuedMs: answer.queuedMs }
    case 402:
      return { kind: 'credits', message: 'no credits' }
    case 408:
      return { kind: 'timed_out' }
    case 429:
      return {
        kind: 'refused',
        ...(answer.limit === null ? {} : { limit: answer.limit }),
        ...(answer.retryAfterMs === null || answer.retryAfterMs <= 0 ? {} : { retryAfterMs: answer.retryAfterMs }),
      }
    case 500:
      return { kind: 'down', message: 'an error' }
    case 503: {
      const wait = answer.retryAfterMs === null ? {} : { retryAfterMs: answer.retryAfterMs }
      return { kind: 'down', message: 'not there', absent: true, ...wait }
    }
    default:
      return assertNever(answer)
  }
}
