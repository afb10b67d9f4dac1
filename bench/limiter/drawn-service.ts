import { assertNever } from '#src/kit/assert-never.ts'
import type { Clock } from './simulated-time.ts'
import { seededRandom } from '#src/route/audit/seeded-random.ts'
import type { Service } from './draw.ts'
import { type Limiter, limiterOf } from './drawn-limits.ts'

export type DrawnAnswer =
  /** `queuedMs` is told by some services only. */
  | { readonly status: 200; readonly queuedMs: number | null }
  | { readonly status: 408 }
  | { readonly status: 429; readonly limit: 'rate' | 'concurrency' | null; readonly retryAfterMs: number | null }
  | { readonly status: 503; readonly retryAfterMs: number | null }

interface Queued {
  readonly at: number
  readonly answered: (answer: DrawnAnswer) => void
}

const REFUSAL_MS = 2
/** Requests that a service which queues lets wait. */
const LONGEST_QUEUE = 2_000

/** A drawn service in virtual time. How long a request takes is decided when its work begins. */
export class DrawnService {
  readonly #time: Clock
  readonly #drawn: Service
  readonly #random: () => number
  readonly #limiters: readonly Limiter[]
  #queue: Queued[] = []
  #queueHead = 0
  #working = 0
  #requests = 0

  constructor(time: Clock, drawn: Service) {
    this.#time = time
    this.#drawn = drawn
    this.#random = seededRandom(drawn.seed * 7919 + 13)
    this.#limiters = drawn.limits.map(limiterOf)
  }

  /** Milliseconds until the rate limits let a request through. */
  rateWait(now: number): number {
    const factor = this.#factor(now)
    return Math.max(0, ...this.#limiters.map((limiter) => limiter.wait(now, factor)))
  }

  places(now: number): number {
    const { concurrency, change } = this.#drawn
    if (concurrency === null) return Infinity
    const factor = change !== null && now >= change.atMs ? change.factor : 1
    return Math.max(1, Math.floor(concurrency.places * factor))
  }

  outageAt(now: number): Service['outages'][number] | null {
    return this.#drawn.outages.find(({ fromMs, toMs }) => now >= fromMs && now < toMs) ?? null
  }

  request(answered: (answer: DrawnAnswer) => void): void {
    const { now } = this.#time
    const { noise, concurrency } = this.#drawn
    const soon = (answer: DrawnAnswer): void => this.#time.after(REFUSAL_MS, () => answered(answer))
    const outage = this.outageAt(now)
    if (outage !== null) {
      const retryAfterMs = outage.retryAfter ? Math.ceil((outage.toMs - now) / 1000) * 1000 : null
      return soon({ status: 503, retryAfterMs })
    }
    this.#requests += 1
    if (this.#drawn.refusesFirst && this.#requests === 1) return soon(this.#refusal('rate', 1_000))
    if (noise > 0 && this.#random() < noise) return soon(this.#refusal('rate', 1_000))
    if (this.rateWait(now) > 0) {
      for (const limiter of this.#limiters) limiter.refused(now)
      return soon(this.#refusal('rate', this.rateWait(now)))
    }
    const isFull = this.#working >= this.places(now)
    if (isFull && (concurrency?.whenFull === 'refuse' || this.#queue.length - this.#queueHead >= LONGEST_QUEUE)) {
      return soon(this.#refusal('concurrency', 1_000))
    }
    for (const limiter of this.#limiters) limiter.take(now)
    if (isFull) this.#queue.push({ at: now, answered })
    else this.#work(answered, 0)
  }

  #work(answered: (answer: DrawnAnswer) => void, queuedMs: number): void {
    this.#working += 1
    const { timeoutMs, tellsQueued } = this.#drawn
    const serviceMs = this.#serviceMs(this.#time.now)
    const timesOut = queuedMs + serviceMs > timeoutMs
    this.#time.after(timesOut ? Math.max(0, timeoutMs - queuedMs) : serviceMs, () => {
      this.#working -= 1
      const outage = this.outageAt(this.#time.now)
      if (outage !== null && !outage.retryAfter) answered({ status: 503, retryAfterMs: null })
      else if (timesOut) answered({ status: 408 })
      else answered({ status: 200, queuedMs: tellsQueued ? queuedMs : null })
      this.#startQueued()
    })
  }

  #startQueued(): void {
    while (this.#queueHead < this.#queue.length && this.#working < this.places(this.#time.now)) {
      const next = this.#queue[this.#queueHead]!
      this.#queueHead += 1
      if (this.#queueHead > 4_096) {
        this.#queue = this.#queue.slice(this.#queueHead)
        this.#queueHead = 0
      }
      this.#work(next.answered, this.#time.now - next.at)
    }
  }

  #serviceMs(now: number): number {
    const { meanMs, sigma, coldUntilMs, coldExtraMs, knee, steepness } = this.#drawn.latency
    let ms = sigma === 0 ? meanMs : meanMs * Math.exp(sigma * this.#gauss() - sigma ** 2 / 2)
    if (now < coldUntilMs) ms += Math.min(coldExtraMs, coldUntilMs - now + 0.2 * coldExtraMs)
    return knee !== null && this.#working > knee ? ms * (this.#working / knee) ** steepness : ms
  }

  #gauss(): number {
    return Math.sqrt(-2 * Math.log(this.#random() + 1e-12)) * Math.cos(2 * Math.PI * this.#random())
  }

  /** What share of the limits is ours now. */
  #factor(now: number): number {
    const { change, others } = this.#drawn
    const changed = change !== null && now >= change.atMs ? change.factor : 1
    if (others === null) return changed
    const phase = now / others.periodMs
    const square = Math.floor(phase) % 2 === 1 ? 1 : 0
    const level =
      others.shape === 'constant' ? 1 : others.shape === 'square' ? square : (1 - Math.cos(2 * Math.PI * phase)) / 2
    return changed * (1 - others.share * level)
  }

  #refusal(limit: 'rate' | 'concurrency', exactMs: number): DrawnAnswer {
    const named = this.#drawn.text === 'explicit' ? limit : null
    return { status: 429, limit: named, retryAfterMs: this.#retryAfter(exactMs) }
  }

  #retryAfter(exactMs: number): number | null {
    switch (this.#drawn.retryAfter) {
      case 'exact':
        return Math.ceil(exactMs / 1000) * 1000
      case 'decimal':
        return exactMs
      case 'none':
        return null
      case 'zero':
      case 'past':
        return 0
      case 'constant':
        return this.#drawn.constantRetryMs
      case 'tenfold':
        return Math.ceil(exactMs / 100) * 1000
      default:
        return assertNever(this.#drawn.retryAfter)
    }
  }
}
