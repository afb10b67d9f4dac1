import Table from 'cli-table3'
import { aimd, omniscient } from './baselines.ts'
import type { RateLimit, Service } from './draw.ts'
import { QUIET } from './quiet-service.ts'
import { controlLaw } from './law-policy.ts'
import { measuredLaw } from './measured-law.ts'
import type { PolicyMaker } from './policy.ts'
import { runDrawn } from './run-drawn.ts'

/*
 * Situations that an earlier release failed in, once each, in virtual time. Beside draws from the distribution: names are
 * easier to discuss than seeds.
 */

const MINUTE_MS = 60_000

export const rate = (limit: number, more: Partial<RateLimit> = {}): RateLimit => ({
  kind: 'sliding',
  windowMs: MINUTE_MS,
  limit,
  burst: limit / 5,
  penalty: false,
  phaseMs: 0,
  ...more,
})

const latency = (more: Partial<Service['latency']>): Service['latency'] => ({ ...QUIET.latency, ...more })
const queue = (places: number): Service['concurrency'] => ({ places, whenFull: 'queue' })
const refuse = (places: number): Service['concurrency'] => ({ places, whenFull: 'refuse' })
const others = (shape: 'square' | 'sine', share: number): Service['others'] => ({
  shape,
  share,
  periodMs: 2 * MINUTE_MS,
})

const REGIMES: Readonly<Record<string, Partial<Service>>> = {
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

const SEEDS = [1, 2, 3, 4, 5]

/**
 * Prints goodput and refusals in each, means over five seeds, beside the law before, AIMD, and the omniscient client behind
 * the network of the others: a place stands empty while its next request is on the way.
 */
export function simKnown(): void {
  const clients: readonly (readonly [string, PolicyMaker])[] = [
    ['law', controlLaw()],
    ['before', measuredLaw],
    ['AIMD', aimd],
    ['omniscient, same network', omniscient()],
  ]
  const table = new Table({ head: ['regime', ...clients.map(([name]) => name), 'refused'] })
  for (const [name, regime] of Object.entries(REGIMES)) {
    const services = SEEDS.map((seed): Service => ({ ...QUIET, ...regime, seed }))
    const best = services.map((service) => runDrawn(service, omniscient(), true).done)
    const runs = clients.map(([, client]) => services.map((service) => runDrawn(service, client)))
    const goodputs = runs.map((results) => mean(results.map(({ done }, i) => done / (best[i] ?? 1))))
    const refused = mean((runs[0] ?? []).map((result) => result.refused / result.sent))
    table.push([name, ...goodputs.map((goodput) => goodput.toFixed(3)), `${(100 * refused).toFixed(1)} %`])
  }
  console.log(table.toString())
}

const mean = (numbers: readonly number[]): number =>
  numbers.reduce((sum, number) => sum + number, 0) / Math.max(numbers.length, 1)
