import type { RateLimit, Service } from './draw.ts'

/*
 * Situations that an earlier release failed in, once each, in virtual time. Beside draws from the distribution: names are
 * easier to discuss than seeds.
 */

export const MINUTE_MS = 60_000

/** A fast service without limits, mistakes, other clients or changes: named situations add what they are about. */
export const QUIET: Service = {
  seed: 1,
  family: 'known',
  limits: [],
  concurrency: null,
  tellsQueued: false,
  latency: { meanMs: 200, sigma: 0.5, coldUntilMs: 0, coldExtraMs: 0, knee: null, steepness: 1 },
  timeoutMs: 300_000,
  text: 'explicit',
  retryAfter: 'exact',
  constantRetryMs: MINUTE_MS,
  noise: 0,
  others: null,
  change: null,
  outages: [],
  event: 'none',
  processes: 6,
  slots: 180,
  horizonMs: 15 * MINUTE_MS,
}

export const rate = (limit: number, more: Partial<RateLimit> = {}): RateLimit => ({
  kind: 'sliding',
  windowMs: MINUTE_MS,
  limit,
  burst: limit / 5,
  penalty: false,
  phaseMs: 0,
  ...more,
})

export const latency = (more: Partial<Service['latency']>): Service['latency'] => ({ ...QUIET.latency, ...more })
export const queue = (places: number): Service['concurrency'] => ({ places, whenFull: 'queue' })
export const refuse = (places: number): Service['concurrency'] => ({ places, whenFull: 'refuse' })
const others = (shape: 'square' | 'sine', share: number): Service['others'] => ({
  shape,
  share,
  periodMs: 2 * MINUTE_MS,
})

export const REGIMES: Readonly<Record<string, Partial<Service>>> = {
  '300 a minute': { limits: [rate(300)] },
  '60 a minute and 5 a second': { limits: [rate(60), rate(5, { windowMs: 1_000 })] },
  '600 a minute and 12 a second': { limits: [rate(600), rate(12, { windowMs: 1_000 })] },
  '300 a minute and 20 places': { limits: [rate(300)], concurrency: refuse(20), latency: latency({ sigma: 1 }) },
  'collapse, knee 12 ^ 2': { latency: latency({ knee: 12, steepness: 2 }), timeoutMs: 10_000 },
  'collapse, knee 12 ^ 1.3': { latency: latency({ knee: 12, steepness: 1.3 }) },
  'refusals count, no Retry-After': { limits: [rate(300, { penalty: true })], retryAfter: 'none' },
  'bucket, a refusal costs a token': { limits: [rate(300, { kind: 'bucket', penalty: true })], retryAfter: 'none' },
  'Retry-After ten times too long': { limits: [rate(300)], retryAfter: 'tenfold' },
  'Retry-After always a minute, bucket': { limits: [rate(300, { kind: 'bucket' })], retryAfter: 'constant' },
  'Retry-After 0': { limits: [rate(300)], retryAfter: 'zero' },
  'Retry-After in the past': { limits: [rate(300)], retryAfter: 'past' },
  'limit x 2 in mid-run': { limits: [rate(300)], change: { atMs: 5 * MINUTE_MS, factor: 2 } },
  'limit x 0.25 in mid-run': { limits: [rate(600)], change: { atMs: 5 * MINUTE_MS, factor: 0.25 } },
  'another client takes half, on and off': { limits: [rate(300)], others: others('square', 0.5) },
  'another client as a sine': { limits: [rate(300)], others: others('sine', 0.5), retryAfter: 'none' },
  '2 % stray 429s, 20 places queue': { concurrency: queue(20), noise: 0.02, text: 'vague', retryAfter: 'none' },
  '2 % stray 429s, Retry-After 1 s': {
    concurrency: queue(20),
    noise: 0.02,
    retryAfter: 'constant',
    constantRetryMs: 1_000,
  },
  '0.2 % stray 429s': { concurrency: queue(20), noise: 0.002, text: 'vague' },
  'cold start of 20 s': { concurrency: queue(20), latency: latency({ coldUntilMs: 20_000, coldExtraMs: 15_000 }) },
  '503 and Retry-After, 5 s in each 30 s': {
    concurrency: queue(20),
    outages: Array.from({ length: 30 }, (_, i) => ({
      fromMs: 20_000 + i * 30_000,
      toMs: 25_000 + i * 30_000,
      retryAfter: true,
    })),
  },
  '1 a minute, 20 processes': { limits: [rate(1)], processes: 20, slots: 1_000, horizonMs: 60 * MINUTE_MS },
  'no limit, 5 s a document, first minute': {
    latency: latency({ meanMs: 5_000 }),
    slots: 300,
    horizonMs: MINUTE_MS,
  },
  '20 places, refuses, vague text': { concurrency: refuse(20), text: 'vague', retryAfter: 'none' },
  '20 places, vague text, Retry-After 1 s': { concurrency: refuse(20), text: 'vague' },
}
