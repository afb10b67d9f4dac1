import { describe, expect, test } from 'vitest'
import { draw, type Service, type WindowKind } from '../../../bench/limiter/draw.ts'
import { controlLaw, LAW_SOURCE, type LawState, loadLaw } from '../../../bench/limiter/law-policy.ts'
import { MECHANISMS, without } from '../../../bench/limiter/mechanisms.ts'
import { omniscient, type PolicyMaker } from '../../../bench/limiter/policies.ts'
import { latency, MINUTE_MS, queue, QUIET, rate, refuse, REGIMES } from '../../../bench/limiter/regimes.ts'
import { runDrawn } from '../../../bench/limiter/run-drawn.ts'
import { seedFrom } from '../../../test/support/seed.ts'

/*
 * The law alone on simulated services, in virtual time: the same figures on any machine. LAW_SEED=N and LAW_DRAWS=N draw
 * other services for the invariants.
 */

const SEED = seedFrom('LAW_SEED', 31)
const DRAWS = Number(process.env['LAW_DRAWS'] ?? 10)

/** Means over three seeds: done as a share of the possible, refused and failed (503) shares of what was sent. */
function outcome(regime: Partial<Service>, make: PolicyMaker = controlLaw()) {
  const services = [1, 2, 3].map((seed): Service => ({ ...QUIET, ...regime, seed }))
  const mean = (of: (service: Service) => number): number =>
    services.reduce((sum, service) => sum + of(service), 0) / services.length
  const results = new Map(services.map((service) => [service, runDrawn(service, make)]))
  const share = (of: 'refused' | 'unavailable') =>
    mean((service) => (results.get(service)?.[of] ?? 0) / (results.get(service)?.sent ?? 1))
  return {
    done: mean((service) => (results.get(service)?.done ?? 0) / runDrawn(service, omniscient(), true).done),
    refused: share('refused'),
    unavailable: share('unavailable'),
  }
}

interface Shown {
  readonly regime: Partial<Service>
  readonly measure: 'done' | 'refused' | 'unavailable'
  /** What the law keeps, and does not keep without the mechanism. */
  readonly bound: number
}

const regimeNamed = (name: string): Partial<Service> => REGIMES[name] as Partial<Service>
const most = (regime: Partial<Service>, measure: 'refused' | 'unavailable', bound: number): Shown => ({
  regime,
  measure,
  bound,
})
const least = (regime: Partial<Service>, bound: number): Shown => ({ regime, measure: 'done', bound })

const FIVEFOLD = { change: { atMs: 5 * MINUTE_MS, factor: 5 } }

/** A situation for each mechanism in which the law keeps a bound only with it. */
const SHOWN: Readonly<Record<string, Shown>> = {
  'GCRA with catch-up': least(regimeNamed('2 % stray 429s, Retry-After 1 s'), 0.8),
  'CUSUM of refusals': least(regimeNamed('2 % stray 429s, 20 places queue'), 0.9),
  'learned noise': least({ noise: 0.02, slots: 500, horizonMs: 3 * MINUTE_MS }, 0.25),
  'probes by the cycle': most(regimeNamed('300 a minute'), 'refused', 0.06),
  'trust in Retry-After': least(regimeNamed('Retry-After always a minute, bucket'), 0.9),
  'cycle bracketed by the last refusal': most(
    { limits: [rate(10)], retryAfter: 'none', horizonMs: 60 * MINUTE_MS },
    'refused',
    0.1,
  ),
  'a fall by half at most': least(regimeNamed('another client as a sine'), 0.7),
  trials: least(regimeNamed('limit x 2 in mid-run'), 0.9),
  'trebled steps': least({ limits: [rate(60)], ...FIVEFOLD }, 0.65),
  'sparse refusals': most(regimeNamed('Retry-After always a minute, bucket'), 'refused', 0.1),
  // A cold start behind a bucket of 621 in ten seconds.
  "Little's law at the first pause": least(draw(7_800_100_359), 0.8),
  'experiment behind a vague text': least(regimeNamed('20 places, refuses, vague text'), 0.82),
  'number in flight by refusals': most({ concurrency: refuse(20) }, 'refused', 0.05),
  'end of slow start': least({ latency: latency({ knee: 60, steepness: 2, sigma: 0 }), timeoutMs: 20_000 }, 0.7),
  'comparison of blocks': least({ concurrency: refuse(10), ...FIVEFOLD }, 0.8),
  // No limit, 2.2 % stray 429s, requests of 6 s that all take equally long.
  'dismissal of chance': least(draw(5_521_700_644), 0.75),
  breaker: most(
    { concurrency: queue(20), outages: [{ fromMs: 5 * MINUTE_MS, toMs: 7 * MINUTE_MS, retryAfter: false }] },
    'unavailable',
    0.05,
  ),
}

/** Shown by a test of its own, as drawn services state no limits. */
const ELSEWHERE = ['stated limits']

describe('each mechanism of the law', () => {
  test('is shown by a situation, or by its own test', () => {
    expect(Object.keys(SHOWN).concat(ELSEWHERE).toSorted()).toEqual(MECHANISMS.map(({ name }) => name).toSorted())
    for (const name of ELSEWHERE) expect(() => loadLaw(without(name, LAW_SOURCE)), name).not.toThrow()
  })

  test.each(Object.entries(SHOWN))('%s keeps a bound that is missed without it', (name, { regime, measure, bound }) => {
    const whole = outcome(regime)[measure]
    const ablated = outcome(regime, controlLaw(loadLaw(without(name, LAW_SOURCE))))[measure]
    if (measure === 'done') {
      expect(whole).toBeGreaterThan(bound)
      expect(ablated).toBeLessThan(bound)
    } else {
      expect(whole).toBeLessThan(bound)
      expect(ablated).toBeGreaterThan(bound)
    }
  })
})

test('named situations of the law use most of the possible throughput', () => {
  const shares = Object.values(REGIMES).map((regime) => outcome(regime).done)
  expect(Math.min(...shares)).toBeGreaterThan(0.7)
  expect(shares.reduce((sum, share) => sum + share, 0) / shares.length).toBeGreaterThan(0.92)
})

/** Names of the invariants that the state breaks. */
function broken(s: LawState): string[] {
  const holds = {
    'no more are accepted or in flight than were sent': Number(s['accepted']) <= Number(s['seq']) + 1,
    'one request at least may be in flight': s.places >= 1,
    'a rate is positive and finite': s.rate === undefined || (s.rate > 0 && Number.isFinite(s.rate)),
    'a rate has a window': s.rate === undefined || Number(s['window']) > 0,
    'the noise lies in its bounds': Number(s['noise']) > 0 && Number(s['noise']) <= 0.04,
    'a trial raises the pace by no more than twofold': Number(s['trial']) >= 0 && Number(s['trial']) <= 1,
    'no number is NaN': Object.values(s).every((value) => !Number.isNaN(value)),
  }
  return Object.entries(holds).flatMap(([name, held]) => (held ? [] : [name]))
}

test('the state of the law keeps its invariants at every answer of random services', () => {
  for (let index = 0; index < DRAWS; index += 1) {
    const found = new Set<string>()
    const watch = (state: LawState): void => broken(state).forEach((name) => found.add(name))
    const { sent } = runDrawn(draw(SEED * 100_000 + index), controlLaw(loadLaw(), watch))
    expect([...found], `seed ${SEED}, draw ${index}, ${sent} requests`).toEqual([])
  }
})

const KINDS: readonly WindowKind[] = ['first', 'sliding', 'fixed', 'bucket']

test('a rate limit behind slow requests is not learned as a falling limit in flight', () => {
  for (const kind of KINDS) {
    const limits = [rate(400, { kind, burst: 80 })]
    const slow = {
      limits,
      latency: latency({ meanMs: 9_000 }),
      text: 'vague',
      retryAfter: 'none',
      noise: 0.02,
    } as const
    expect(outcome(slow).done, kind).toBeGreaterThan(0.75)
  }
})

test('the gate recognises within minutes that a Retry-After of a day is wrong', () => {
  for (const [index, kind] of KINDS.entries()) {
    const limits = [rate(20 + 60 * index, { kind, burst: 10 })]
    const day = {
      limits,
      text: 'vague',
      retryAfter: 'constant',
      constantRetryMs: 86_400_000,
      horizonMs: 30 * MINUTE_MS,
    } as const
    expect(outcome(day).done, kind).toBeGreaterThan(0.8)
  }
})

const told = (ms: number): Partial<Service> => ({ retryAfter: 'constant', constantRetryMs: ms })
/** Situations whose very first request is refused for no limit. */
const FIRST_REFUSED: Readonly<Record<string, Partial<Service>>> = {
  'no Retry-After': { concurrency: queue(20), retryAfter: 'none' },
  'no Retry-After, vague text': { concurrency: queue(20), retryAfter: 'none', text: 'vague' },
  'Retry-After 1 s': { concurrency: queue(20), ...told(1_000) },
  'Retry-After 60 s': { concurrency: queue(20), ...told(60_000) },
  'Retry-After a day': { concurrency: queue(20), ...told(86_400_000) },
  '600 a minute, Retry-After 60 s': { limits: [rate(600)], concurrency: queue(20), ...told(60_000) },
  'no limit, 5 s a document': { latency: latency({ meanMs: 5_000 }), retryAfter: 'none' },
}

test.each(Object.entries(FIRST_REFUSED))('one refusal of the very first request costs little time: %s', (_, regime) => {
  // The time of some hundred documents.
  const brief = { ...regime, horizonMs: regime.limits === undefined ? 15_000 : 30_000 }
  expect(outcome({ ...brief, refusesFirst: true }).done).toBeGreaterThan(0.75 * outcome(brief).done)
})

/** Calls of the law at given times, one request after another, each answered after 200 ms. */
function driven(extra: object = {}) {
  const law = loadLaw()
  const state = Object.assign(law.fresh_law(0), extra)
  const send = (from: number, count: number, everyMs: number, refused = false): void => {
    for (let i = 0; i < count; i += 1) {
      const at = from + i * everyMs
      const permit = law.law_sent(state, at, 1)
      if (refused) law.law_refused(state, permit, { limit: 'rate' }, at + 40, 0)
      else law.law_accepted(state, permit, { durationMs: Math.min(200, everyMs) }, at + everyMs / 2, 0)
    }
  }
  return { law, state, send }
}

test('an idle hour does not count in the rate that a refusal shows', () => {
  const { state, send } = driven()
  send(1_000, 50, 200)
  const later = 3_600_000
  send(later, 50, 200)
  send(later + 10_000, 3, 50, true)
  expect(state.phase).toBe('paused')
  send(later + 20_000, 1, 200)
  // A hundred and some in 20 s, and ten more until the probe; by the hour it would be 0.00003.
  expect(state.rate).toBeGreaterThan(0.003)
})

test('stray refusals of a process far below the pace do not lower it', () => {
  const { state, send } = driven({ rate: 0.1, window: 60_000, noise: 0.02 })
  for (let i = 0; i < 10; i += 1) {
    send(i * 20_000, 100, 150)
    send(i * 20_000 + 15_000, 1, 150, true)
  }
  expect(state.rate).toBe(0.1)
})

test('a ceiling of one request in flight is never exceeded by a probe', () => {
  const { state, send } = driven({ places: 1, held: 1, places_cap: 1 })
  send(0, 2_000, 200)
  expect(state.places).toBe(1)
})
