import type { DrawnAnswer } from './drawn-service.ts'
import type { Policy, PolicyMaker, Sent } from './policy.ts'

interface GaugeSent extends Sent {
  readonly ahead: number
  readonly paced: boolean
  refused: boolean
}

/*
 * The law of release 0.1.0, for comparison: each refusal is a measurement, and the ceiling rises from it along a cubic
 * whose clock is accepted requests. A condensed copy of its arithmetic, with its configured window of a minute.
 */

const WINDOW_MS = 60_000
const SECOND_MS = 1_000
const LONGEST_CONFIDENCE = 3

const pauseAfter = (failures: number): number => Math.min(2 ** Math.min(failures, 10), 30) * SECOND_MS

function level(measured: number, accepted: number, confidence: number, slowness: number): number {
  const shortest = confidence > 1 ? 50 * confidence : 3 * slowness
  return measured * (1 + (accepted / Math.max(confidence * slowness * measured, shortest)) ** 3)
}

function confidenceAfter(measured: number, before: number | null, confidence: number): number {
  const agrees = before !== null && Math.abs(measured - before) <= Math.max(1, 0.2 * before)
  return agrees ? Math.min(LONGEST_CONFIDENCE, confidence + 1) : 1
}

class MeasuredLaw implements Policy<GaugeSent> {
  #rate: number | null = null
  #rateAccepted = 0
  #rateConfidence = 1
  #rateAt = -1
  #shutUntil = 0
  #streak = 0
  #dueAt = 0
  #places = 4
  #placesAccepted: number | null = null
  #placesConfidence = 1
  #placesAt = -1
  #serviceMs: number | null = null
  #failures = 0
  #outageUntil: number | null = null
  #log: GaugeSent[] = []

  wait(now: number, inFlight: number): number {
    if ((this.#outageUntil ?? 0) > now) return (this.#outageUntil ?? 0) - now
    if (this.#shutUntil > now) return this.#shutUntil - now
    if (inFlight >= Math.floor(this.#placesNow())) return Infinity
    return Math.max(0, this.#due(now).at - now)
  }

  sent(now: number, inFlight: number): GaugeSent {
    const { at, intervalMs } = this.#due(now)
    if (this.#outageUntil !== null) this.#outageUntil = now + pauseAfter(this.#failures)
    if (intervalMs > 0) this.#dueAt = at + intervalMs
    const paced = this.#rateNow() !== null && at > now - WINDOW_MS / 20
    const sent = { at: now, ahead: inFlight - 1, paced, refused: false }
    this.#log.push(sent)
    return sent
  }

  answered(sent: GaugeSent, answer: DrawnAnswer, now: number, inFlight: number): { readonly counted: boolean } {
    if (answer.status === 200) this.#accepted(sent, now, answer.queuedMs ?? 0)
    else if (answer.status === 429 && answer.limit !== 'concurrency') this.#refused(sent, answer.retryAfterMs, now)
    else if (answer.status === 429) this.#learnPlaces(sent, Math.max(sent.ahead, inFlight), now)
    else if (answer.status === 503) {
      this.#failures += 1
      if (this.#failures >= 5)
        this.#outageUntil = now + Math.max(pauseAfter(this.#failures - 5), answer.retryAfterMs ?? 0)
      return { counted: this.#outageUntil === null }
    }
    return { counted: answer.status === 408 }
  }

  #rateNow(): number | null {
    return this.#rate === null ? null : level(this.#rate, this.#rateAccepted, this.#rateConfidence, 1)
  }

  #placesNow(): number {
    return this.#placesAccepted === null
      ? this.#places
      : level(this.#places, this.#placesAccepted, this.#placesConfidence, 5)
  }

  #due(now: number): { readonly at: number; readonly intervalMs: number } {
    const limit = this.#rateNow()
    const isStarting = this.#placesAccepted === null && this.#serviceMs !== null
    const starting = isStarting
      ? Math.max((2 * this.#places) / (this.#serviceMs ?? 1), 2 / SECOND_MS) * WINDOW_MS
      : null
    const pace = limit ?? starting
    const intervalMs = pace === null ? 0 : WINDOW_MS / pace
    const catchUpMs = limit === null && pace !== null ? SECOND_MS / 20 : WINDOW_MS / 10
    return { at: Math.max(this.#dueAt, now - Math.max(catchUpMs - intervalMs, 0)), intervalMs }
  }

  #accepted(sent: GaugeSent, now: number, queuedMs: number): void {
    this.#failures = 0
    this.#outageUntil = null
    if (sent.at > this.#rateAt) {
      this.#streak = 0
      if (sent.paced) this.#rateAccepted += 1
    }
    const workedMs = Math.max(now - sent.at - queuedMs, 0)
    this.#serviceMs = (this.#serviceMs ?? workedMs) * 0.9 + workedMs * 0.1
    if (queuedMs > 0.1 * this.#serviceMs) this.#learnPlaces(sent, sent.ahead + 1, now)
    else if (sent.at > this.#placesAt && sent.ahead + 1 >= this.#placesNow() / 2) {
      if (this.#placesAccepted === null) this.#places += this.#places < 16 ? 1 : 0.5
      else this.#placesAccepted += 1
    }
  }

  #refused(sent: GaugeSent, retryAfterMs: number | null, now: number): void {
    sent.refused = true
    if (sent.at <= this.#rateAt) return
    const told = retryAfterMs !== null && retryAfterMs > 0 ? retryAfterMs : null
    const from = now - WINDOW_MS + (told !== null && told < 0.95 * WINDOW_MS ? Math.max(0, told - SECOND_MS) : 0)
    this.#log = this.#log.filter(({ at }) => at > now - WINDOW_MS)
    const accepted = this.#log.filter(({ at, refused }) => at > from && !refused).length
    const measured = Math.max(1, 0.99 * accepted)
    this.#rateConfidence = confidenceAfter(measured, this.#rate, this.#rateConfidence)
    this.#rate = measured
    this.#rateAccepted = 0
    this.#rateAt = now
    this.#shutUntil = Math.max(this.#shutUntil, now + (told ?? pauseAfter(this.#streak)))
    this.#dueAt = this.#shutUntil
    this.#streak += 1
  }

  #learnPlaces(sent: GaugeSent, inFlight: number, now: number): void {
    const isFresh = sent.at > this.#placesAt
    const measured = Math.max(1, inFlight)
    if (!isFresh && measured >= this.#places) return
    const risen = Math.max(1, Math.floor(this.#placesNow()))
    if (isFresh) {
      const before = this.#placesAccepted === null ? null : this.#places
      this.#placesConfidence = confidenceAfter(measured, before, this.#placesConfidence)
      this.#placesAt = now
    }
    this.#places = Math.min(measured, risen)
    this.#placesAccepted = 0
  }
}

export const measuredLaw: PolicyMaker = () => new MeasuredLaw()
