import { sourceKey } from '#src/document/ids.ts'
import { type Feedback, RedisGate } from '@sluice/limiter'
import type { Permit } from '../../packages/limiter/src/permit.ts'
import {
  alivePrefix,
  duplicate,
  type GateKeys,
  gateKeys,
  type RedisClient,
  wakePrefix,
} from '../../packages/limiter/src/scripts.ts'
import type { Clock } from '../../packages/limiter/src/waiting-line.ts'
import { seededRandom } from '#src/route/audit/seeded-random.ts'
import type { Service } from './draw.ts'
import { type DrawnAnswer, DrawnService } from './drawn-service.ts'
import type { DrawnResult } from './run-drawn.ts'
import { SimulatedTime } from './simulated-time.ts'

export interface ScriptsResult extends DrawnResult {
  /** Jain's index over the documents of each process: 1 when all got the same. */
  readonly jain: number
  /** Script calls of the limiter for each document that was done. */
  readonly callsPerDocument: number
}

interface Document {
  readonly key: string
  /** The service fails at it (500). */
  readonly poison: boolean
  attempts: number
  dueAt: number
  refused: boolean
}

type Answer = DrawnAnswer | { readonly status: 500 }

interface ScriptsOptions {
  /** Share of documents that the service fails at. */
  readonly poison?: number
}

const ATTEMPTS = 5
const MINUTE_MS = 60_000
/** Redis's clock never starts at nothing. */
const EPOCH_MS = 1_000_000
let runs = 0

/** The gates of all processes of a drawn service, as workers have them, with their scripts in a real Redis, at virtual times. */
export async function runScripts(
  drawn: Service,
  redis: RedisClient,
  { poison = 0 }: ScriptsOptions = {},
): Promise<ScriptsResult> {
  runs += 1
  const simulation = new Simulation(drawn, redis, gateKeys('simulated', `${runs}`), poison)
  return simulation.run()
}

class Simulation {
  readonly #drawn: Service
  readonly #redis: RedisClient
  readonly #calls: RedisClient
  readonly #keys: GateKeys
  readonly #poison: number
  readonly #time = new SimulatedTime()
  readonly #random: () => number
  readonly #service: DrawnService
  readonly #gates: readonly RedisGate[]
  readonly #stop = new AbortController()
  readonly #ready: Document[] = []
  readonly #result = { sent: 0, done: 0, refused: 0, lost: 0, burnt: 0, undercut: 0, unavailable: 0 }
  readonly #done: number[]
  #documents = 0

  constructor(drawn: Service, redis: RedisClient, keys: GateKeys, poison: number) {
    this.#drawn = drawn
    this.#redis = redis
    this.#calls = duplicate(redis)
    this.#keys = keys
    this.#poison = poison
    this.#random = seededRandom(drawn.seed * 104_729 + 7)
    this.#service = new DrawnService(this.#time, drawn)
    this.#done = Array.from({ length: drawn.processes }, () => 0)
    this.#gates = this.#done.map((_, index) => this.#gateOf(index))
  }

  async run(): Promise<ScriptsResult> {
    const { processes, slots, horizonMs } = this.#drawn
    const prefix = wakePrefix(this.#keys)
    this.#calls.on('message', (channel: string, ms: string) =>
      this.#gates[Number(channel.slice(prefix.length))]?.announcePlace(Number(ms)),
    )
    await this.#calls.subscribe(...this.#gates.map((_, index) => `${prefix}${index}`))
    await Promise.all(this.#gates.map((_, index) => this.#redis.set(`${alivePrefix(this.#keys)}${index}`, '1')))
    for (let index = 0; index < processes; index += 1) {
      for (let slot = 0; slot < slots / processes; slot += 1) {
        this.#time.after(this.#random() * 5, () => void this.#slot(index).catch(() => undefined))
      }
    }
    let heard = 0
    await this.#time.runUntil(horizonMs, async () => {
      await Promise.resolve()
      await Promise.resolve()
      if (this.#scriptCalls() !== heard) await this.#hearAll()
      heard = this.#scriptCalls()
    })
    this.#stop.abort(new Error('the simulation ends'))
    await this.#hearAll()
    this.#calls.disconnect()
    await this.#redis.del(...Object.values(this.#keys))
    const callsPerDocument = this.#scriptCalls() / Math.max(this.#result.done, 1)
    return { ...this.#result, jain: fairness(this.#done), callsPerDocument }
  }

  #gateOf(index: number): RedisGate {
    const clock: Clock = {
      now: () => this.#time.now,
      after: (ms, act) => {
        let isOn = true
        // Beyond the rounding of a sum: a timer that fires too early would be set again for ever.
        this.#time.after(ms + 1e-6, () => void (isOn && act()))
        return () => void (isOn = false)
      },
    }
    return new RedisGate({
      redis: this.#redis,
      keys: this.#keys,
      process: `${index}`,
      calls: { disconnect: () => undefined },
      heartbeat: { renew: async () => undefined, [Symbol.asyncDispose]: async () => undefined },
      windowMs: MINUTE_MS,
      leaseMs: 6 * MINUTE_MS,
      patienceMs: 5_000,
      limitPatienceMs: MINUTE_MS,
      maxHeld: 16,
      rateCeiling: undefined,
      placesCeiling: undefined,
      random: this.#random,
      clock,
      scriptNow: () => EPOCH_MS + Math.round(this.#time.now * 10) / 10,
    })
  }

  /** One slot of a process: a document at a time, which comes again until it is done. */
  async #slot(index: number): Promise<void> {
    const gate = this.#gates[index]!
    for (let document = this.#next(); !this.#stop.signal.aborted; document = this.#next()) {
      const waiting = document
      const { key, refused, dueAt } = document
      const again = refused ? { againInMs: Math.max(0, dueAt - this.#time.now) } : {}
      const permit = await gate.acquire({ key: sourceKey(key), ...again }, this.#stop.signal)
      if (permit.kind === 'permit') await this.#send(document, permit, index)
      else {
        const ms = permit.kind === 'wait' ? permit.waitMs : permit.retryInMs
        this.#time.after(ms, () => void this.#ready.push(waiting))
      }
    }
  }

  async #send(document: Document, permit: Permit, index: number): Promise<void> {
    const result = this.#result
    result.sent += 1
    if (document.dueAt > this.#time.now) result.undercut += 1
    const sentAt = this.#time.now
    const answer = await this.#answerTo(document)
    const released = await permit.release(feedbackOf(answer, this.#time.now - sentAt))
    if (answer.status === 200) {
      result.done += 1
      this.#done[index] = (this.#done[index] ?? 0) + 1
      return
    }
    if (answer.status === 429) result.refused += 1
    if (answer.status === 503) result.unavailable += 1
    if (released.countsAsAttempt) {
      document.attempts += 1
      if (!document.poison) result.burnt += 1
    }
    if (document.attempts < ATTEMPTS) this.#comeAgain(document, answer.status === 429, released.retryInMs ?? 1_000)
    else if (!document.poison) result.lost += 1
  }

  #comeAgain(document: Document, refused: boolean, retryInMs: number): void {
    document.refused = refused
    document.dueAt = refused ? this.#time.now + retryInMs : 0
    if (refused) this.#ready.unshift(document)
    else this.#time.after(retryInMs, () => void this.#ready.push(document))
  }

  #next(): Document {
    const poison = (): boolean => this.#random() < this.#poison
    return (
      this.#ready.shift() ?? {
        key: `${(this.#documents += 1)}`,
        poison: poison(),
        attempts: 0,
        dueAt: 0,
        refused: false,
      }
    )
  }

  async #answerTo({ poison }: Document): Promise<Answer> {
    await this.#later(this.#networkMs())
    let answer: Answer = { status: 500 }
    if (poison) await this.#later(this.#drawn.latency.meanMs)
    else answer = await new Promise<DrawnAnswer>((resolve) => this.#service.request(resolve))
    await this.#later(this.#networkMs())
    return answer
  }

  #networkMs(): number {
    return 6 + 14 * this.#random()
  }

  #later(ms: number): Promise<void> {
    return new Promise((resolve) => this.#time.after(ms, resolve))
  }

  #scriptCalls(): number {
    return this.#gates.reduce((sum, gate) => sum + gate.scriptCalls, 0)
  }

  /** All that the scripts answered and published is heard, and what follows from it was asked. */
  async #hearAll(): Promise<void> {
    for (let before = -1; before !== this.#scriptCalls();) {
      before = this.#scriptCalls()
      await this.#redis.ping()
      await this.#calls.ping()
      await new Promise(setImmediate)
    }
  }
}

function feedbackOf(answer: Answer, durationMs: number): Feedback {
  if (answer.status === 200) return { kind: 'accepted', durationMs, queuedMs: answer.queuedMs ?? 0 }
  if (answer.status === 500) return { kind: 'down', message: 'an error' }
  if (answer.status === 408) return { kind: 'timed_out' }
  const told = answer.retryAfterMs === null || answer.retryAfterMs <= 0 ? {} : { retryAfterMs: answer.retryAfterMs }
  if (answer.status === 503) return { kind: 'down', message: 'not there', absent: true, ...told }
  return { kind: 'refused', ...(answer.limit === null ? {} : { limit: answer.limit }), ...told }
}

/** Jain's index: 1 when all got the same. */
export function fairness(shares: readonly number[]): number {
  const sum = shares.reduce((total, share) => total + share, 0)
  const squares = shares.reduce((total, share) => total + share ** 2, 0)
  return squares === 0 ? 1 : sum ** 2 / (shares.length * squares)
}
