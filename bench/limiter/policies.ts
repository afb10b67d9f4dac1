import type { Service } from './draw.ts'
import type { DrawnAnswer, DrawnService } from './drawn-service.ts'

/** What a policy keeps of a request from its start to its answer. */
export interface Sent {
  readonly at: number
}

/** A client's control of its requests, asked about one request after another in virtual time. */
export interface Policy<S extends Sent = Sent> {
  /** 0 when a request may begin; else milliseconds until asking again is of use, Infinity for: after the next answer. */
  wait(now: number, inFlight: number): number
  sent(now: number, inFlight: number): S
  /** Whether a failure (408, 503) used up an attempt of its document. */
  answered(sent: S, answer: DrawnAnswer, now: number, inFlight: number): { readonly counted: boolean }
}

export type PolicyMaker = (drawn: Service, service: DrawnService, random: () => number) => Policy

/*
 * What others do. All of them count a 408 or 503 as an attempt of the document, as those clients do.
 */

/** Knows every limit and the best number in flight, and sends whatever they let through; with `start`, doubles from there. */
export const omniscient =
  (start = Infinity): PolicyMaker =>
  (drawn, service): Policy => {
    const knee = drawn.latency.knee === null ? Infinity : Math.max(1, Math.floor(drawn.latency.knee))
    let most = start
    return {
      wait(now, inFlight) {
        if (inFlight >= Math.min(knee, most, service.places(now))) return Infinity
        const outage = service.outageAt(now)
        return outage === null ? service.rateWait(now) : outage.toMs - now + 1e-3
      },
      sent: (now) => ({ at: now }),
      answered(_, { status }) {
        if (status === 200) most += 1
        return { counted: false }
      },
    }
  }

/** Additive increase, multiplicative decrease of what is in flight: halved at most once a round trip. */
export const aimd: PolicyMaker = () => {
  let places = 10
  let cutAt = -1
  let slowStart = true
  return {
    wait: (_, inFlight) => (inFlight >= Math.floor(places) ? Infinity : 0),
    sent: (now) => ({ at: now }),
    answered(sent, { status }, now) {
      if (status === 200) places += slowStart ? 1 : 1 / places
      else if (sent.at > cutAt) {
        places = Math.max(1, places / 2)
        cutAt = now
        slowStart = false
      }
      return { counted: status === 408 || status === 503 }
    },
  }
}

/** The adaptive retry mode of the AWS SDKs (smithy's DefaultRateLimiter), one instance shared by all. Seconds inside. */
export const awsAdaptive: PolicyMaker = () => {
  const beta = 0.7
  const scale = 0.4
  let enabled = false
  let tokens = 0
  let capacity = 1
  let fill = 0.5
  let filledAt: number | null = null
  let measured = 0
  let requests = 0
  let bucket = 0
  let lastMax = 0
  let throttledAt = 0
  const refill = (seconds: number): void => {
    if (filledAt !== null) tokens = Math.min(capacity, tokens + (seconds - filledAt) * fill)
    filledAt = seconds
  }
  const measure = (seconds: number): void => {
    requests += 1
    const half = Math.floor(seconds * 2) / 2
    if (half <= bucket) return
    measured = (requests / (half - bucket)) * 0.8 + measured * 0.2
    requests = 0
    bucket = half
  }
  return {
    wait(now) {
      if (!enabled) return 0
      refill(now / 1000)
      return tokens >= 1 ? 0 : ((1 - tokens) / fill) * 1000 + 1e-3
    },
    sent(now) {
      if (enabled) tokens -= 1
      return { at: now }
    },
    answered(_: Sent, { status }, now) {
      const seconds = now / 1000
      measure(seconds)
      let rate: number
      if (status === 429 || status === 503) {
        lastMax = enabled ? Math.min(measured, fill) : measured
        throttledAt = seconds
        rate = lastMax * beta
        enabled = true
      } else rate = scale * (seconds - throttledAt - Math.cbrt((lastMax * (1 - beta)) / scale)) ** 3 + lastMax
      refill(seconds)
      fill = Math.max(Math.min(rate, 2 * measured), 0.5)
      capacity = Math.max(Math.min(rate, 2 * measured), 1)
      tokens = Math.min(tokens, capacity)
      return { counted: status === 408 || status === 503 }
    },
  }
}
