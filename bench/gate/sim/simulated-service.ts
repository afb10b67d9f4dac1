import { rateWindow, type RateWindow } from '../rate-windows.ts'
import type { ServicePlan } from './regimes.ts'
import type { SimulatedTime } from './simulated-time.ts'
import { seededRandom } from '#src/route/audit/seeded-random.ts'

export interface SimulatedDocument {
  readonly id: number
  readonly poison: boolean
  attempts: number
  /** Answers that blame the document or the service, and no limit. */
  failures: number
  /** Milliseconds of work; stays with the document over its tries. */
  workMs: number | null
}

export type SimulatedAnswer =
  | { readonly status: 200; readonly queuedMs: number }
  | { readonly status: 402 | 408 | 500 }
  | { readonly status: 503; readonly retryAfterMs: number | null }
  | { readonly status: 429; readonly limit: 'rate' | 'concurrency' | null; readonly retryAfterMs: number | null }

interface Queued {
  start(): void
  fail(status: 408 | 503): void
}

const WINDOW_MS = 60_000
const TIMEOUT_MS = 300_000
const MEAN_WORK_MS = 6_000
const WORK_SIGMA = 0.8
const NETWORK_MS = 40

/** A service with the contract's limits: log-normal work of 6 s, 28 to 52 ms of network each way. */
export class SimulatedService {
  readonly #time: SimulatedTime
  readonly #plan: ServicePlan
  readonly #random: () => number
  readonly #window: RateWindow
  readonly #queue: Queued[] = []
  readonly #working = new Set<(status: 503) => void>()
  #places: number
  #paid = 0

  constructor(time: SimulatedTime, plan: ServicePlan, seed: number) {
    this.#time = time
    this.#plan = plan
    this.#random = seededRandom(seed * 7919 + 13)
    this.#window = rateWindow(plan.window, plan.rate, WINDOW_MS, (seed * 7_300) % WINDOW_MS)
    for (let taken = 0; taken < (plan.taken ?? 0); taken += 1) this.#window.take(time.now)
    this.#places = plan.places
    const { change, outage } = plan
    if (change !== undefined) {
      time.after(change.at, () => {
        this.#window.limit = change.rate ?? this.#window.limit
        this.#places = change.places ?? this.#places
        this.#startQueued()
      })
    }
    if (outage !== undefined) time.after(outage[0], () => this.#goDown())
  }

  request(document: SimulatedDocument, answered: (answer: SimulatedAnswer) => void): void {
    const reply = (answer: SimulatedAnswer): void => this.#time.after(this.#networkMs(), () => answered(answer))
    this.#time.after(this.#networkMs(), () => this.#arrive(document, reply))
  }

  #arrive(document: SimulatedDocument, reply: (answer: SimulatedAnswer) => void): void {
    const { now } = this.#time
    const { credits, outage, retryAfter = true, whenFull = 'reject' } = this.#plan
    if (outage !== undefined && now >= outage[0] && now < outage[1]) {
      this.#time.after(200, () => reply({ status: 503, retryAfterMs: null }))
      return
    }
    if (credits !== undefined && this.#paid >= credits.documents && now < credits.toppedUpAt) {
      return reply({ status: 402 })
    }
    const refusedMs = this.#window.take(now)
    if (refusedMs > 0) {
      const wholeSeconds = Math.ceil(refusedMs / 1000) * 1000
      return reply({ status: 429, limit: 'rate', retryAfterMs: retryAfter ? wholeSeconds : null })
    }
    if (this.#working.size < this.#places) return this.#work(document, 0, reply)
    if (whenFull === 'reject') {
      return reply({ status: 429, limit: 'concurrency', retryAfterMs: retryAfter ? 2_000 : null })
    }
    const queued: Queued = {
      start: () => this.#work(document, this.#time.now - now, reply),
      fail: (status) => reply(status === 503 ? { status, retryAfterMs: null } : { status }),
    }
    this.#queue.push(queued)
    this.#time.after(TIMEOUT_MS, () => {
      const index = this.#queue.indexOf(queued)
      if (index === -1) return
      this.#queue.splice(index, 1)
      queued.fail(408)
    })
  }

  #work(document: SimulatedDocument, queuedMs: number, reply: (answer: SimulatedAnswer) => void): void {
    document.workMs ??= MEAN_WORK_MS * Math.exp(WORK_SIGMA * this.#gauss() - WORK_SIGMA ** 2 / 2)
    const leftMs = TIMEOUT_MS - queuedMs
    const fails = this.#random() < (this.#plan.errors ?? 0) || document.poison
    const status = document.workMs > leftMs ? 408 : fails ? 500 : 200
    const ms = Math.min(document.workMs, leftMs) * (fails ? this.#random() : 1)
    const finish = (ended: 200 | 408 | 500 | 503): void => {
      if (!this.#working.delete(finish)) return
      if (ended === 200) this.#paid += 1
      reply(
        ended === 200
          ? { status: 200, queuedMs }
          : ended === 503
            ? { status: 503, retryAfterMs: null }
            : { status: ended },
      )
      this.#startQueued()
    }
    this.#working.add(finish)
    this.#time.after(ms, () => finish(status))
  }

  #startQueued(): void {
    while (this.#queue.length > 0 && this.#working.size < this.#places) this.#queue.shift()?.start()
  }

  #goDown(): void {
    for (const queued of this.#queue.splice(0)) queued.fail(503)
    for (const abort of this.#working) abort(503)
  }

  #networkMs(): number {
    return NETWORK_MS * (0.7 + 0.6 * this.#random())
  }

  #gauss(): number {
    return Math.sqrt(-2 * Math.log(this.#random() + 1e-12)) * Math.cos(2 * Math.PI * this.#random())
  }
}

/** Upper bound on documents completed: the limits fully used from `fromMs` to `toMs`, except during the outage. */
export function bestPossible(plan: ServicePlan, fromMs: number, toMs: number): number {
  const errors = plan.errors ?? 0
  const perMs = (rate: number, places: number): number =>
    Math.min((rate / WINDOW_MS) * (1 - errors), ((places / MEAN_WORK_MS) * (1 - errors)) / (1 - errors / 2))
  const { change, outage = [0, 0] } = plan
  const changeAt = Math.min(Math.max(change?.at ?? toMs, fromMs), toMs)
  const outMs = Math.max(0, Math.min(outage[1], toMs) - Math.max(outage[0], fromMs))
  return (
    (changeAt - fromMs - outMs) * perMs(plan.rate, plan.places) +
    (toMs - changeAt) * perMs(change?.rate ?? plan.rate, change?.places ?? plan.places)
  )
}
