import { setTimeout as sleep } from 'node:timers/promises'
import { rateWindow, type RateWindow } from '../rate-windows.ts'
import { seededRandom } from '#src/route/audit/seeded-random.ts'
import type { LimitedPlan, LimitedReport, LimitedRequest } from './service-plan.ts'

export interface LimitedAnswer {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: object
}

/** Refused for its concurrency, a request may come again after a thirtieth of the window (2 s of a minute). */
const PLACES_RETRY_SHARE = 1 / 30

/** Slack for a timer that fires a moment early: clocks of two processes. */
const CLOCK_MS = 2

/** The limits of a plan, over real time. What a request costs, and what becomes of it, is decided when it arrives. */
export class LimitedService {
  readonly #plan: LimitedPlan
  readonly #window: RateWindow
  readonly #random = seededRandom(4711)
  readonly #requests: LimitedRequest[] = []
  readonly #notBefore = new Map<string, number>()
  readonly #queue: (() => void)[] = []
  #down = new AbortController()
  #begun = performance.now()
  #places: number
  #working = 0
  #paid = 0
  #undercut = 0

  constructor(plan: LimitedPlan) {
    this.#plan = plan
    this.#window = rateWindow(plan.window, plan.rate, plan.windowMs, plan.windowMs / 3)
    this.#places = plan.places
  }

  /** Time starts: changes and outages are counted from here. */
  begin(): void {
    const { change, outage } = this.#plan
    this.#begun = performance.now()
    if (change !== null) {
      setTimeout(() => {
        this.#window.limit = change.rate ?? this.#window.limit
        this.#places = change.places ?? this.#places
        this.#startQueued()
      }, change.at)
    }
    if (outage !== null) {
      setTimeout(() => this.#down.abort(), outage.from)
      setTimeout(() => (this.#down = new AbortController()), outage.to)
    }
  }

  report(): LimitedReport {
    return { requests: this.#requests, undercut: this.#undercut }
  }

  async answer(document: string): Promise<LimitedAnswer> {
    const from = this.#now()
    if (from + CLOCK_MS < (this.#notBefore.get(document) ?? 0)) this.#undercut += 1
    const answer = await this.#decide(document)
    const to = this.#now()
    this.#requests.push({ document, from: Math.round(from), to: Math.round(to), status: answer.status })
    return answer
  }

  async #decide(document: string): Promise<LimitedAnswer> {
    const { credits, retryAfter, whenFull } = this.#plan
    if (this.#down.signal.aborted) return unavailable
    if (credits !== null && this.#paid >= credits.documents && this.#now() < credits.toppedUpAt) {
      return error(402, 'Payment Required: Insufficient credits')
    }
    const refusedMs = this.#window.take(this.#now() + 1e6)
    if (refusedMs > 0)
      return this.#refuse(document, 'Request rate limit exceeded. Please wait and try again later.', refusedMs)
    const arrivedAt = this.#now()
    if (this.#working >= this.#places) {
      if (whenFull === 'reject') {
        const ms = retryAfter === 'none' ? 0 : this.#plan.windowMs * PLACES_RETRY_SHARE
        return this.#refuse(document, 'Concurrency limit reached', ms)
      }
      await new Promise<void>((resolve) => this.#queue.push(resolve))
    } else this.#working += 1
    try {
      return await this.#work(document, this.#now() - arrivedAt)
    } finally {
      this.#working -= 1
      this.#startQueued()
    }
  }

  async #work(document: string, queuedMs: number): Promise<LimitedAnswer> {
    const fails = document.includes('poison') || this.#random() < this.#plan.errors
    const down = this.#down.signal
    try {
      const { serviceMs, spread } = this.#plan
      await sleep(serviceMs * (1 + spread * (2 * this.#random() - 1)), undefined, { signal: down })
    } catch {
      return unavailable
    }
    if (fails) return error(500, 'An unexpected error occurred on the server.', { code: 'UNKNOWN_ERROR' })
    this.#paid += 1
    const queueing =
      queuedMs < 1 ? { concurrencyLimited: false } : { concurrencyLimited: true, concurrencyQueueDurationMs: queuedMs }
    const metadata = { statusCode: 200, creditsUsed: 1, ...queueing }
    return { status: 200, headers: {}, body: { success: true, data: { markdown: `# ${document}\n`, metadata } } }
  }

  /** A place is handed on, never free in between. */
  #startQueued(): void {
    while (this.#queue.length > 0 && this.#working < this.#places) {
      this.#working += 1
      this.#queue.shift()?.()
    }
  }

  #refuse(document: string, message: string, ms: number): LimitedAnswer {
    if (this.#plan.retryAfter === 'none' || ms === 0) return error(429, message)
    this.#notBefore.set(document, this.#now() + ms)
    return { ...error(429, message), headers: { 'retry-after': (ms / 1000).toFixed(3) } }
  }

  #now(): number {
    return performance.now() - this.#begun
  }
}

function error(status: number, message: string, more: object = {}): LimitedAnswer {
  return { status, headers: {}, body: { success: false, error: message, ...more } }
}

const unavailable = error(503, 'Service Unavailable')
