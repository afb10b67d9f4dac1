import { expect, test } from 'vitest'
import { omniscient } from '../../bench/gate/random/baselines.ts'
import { draw, type Service, type WindowKind } from '../../bench/gate/random/draw.ts'
import { FIRST_REFUSED, firstRefusalTimes } from '../../bench/gate/random/first-refusal.ts'
import { controlLaw } from '../../bench/gate/random/law-policy.ts'
import { QUIET } from '../../bench/gate/random/quiet-service.ts'
import { runDrawn } from '../../bench/gate/random/run-drawn.ts'

const KINDS: readonly WindowKind[] = ['first', 'sliding', 'fixed', 'bucket']

/** A rate limit whose 429s do not say what is limited, behind slow requests: its refusals look like those of a full service. */
function rateLimited(seed: number): Service {
  const kind = KINDS[seed % KINDS.length] ?? 'fixed'
  return {
    ...QUIET,
    seed,
    limits: [{ kind, windowMs: 60_000, limit: 400, burst: 80, penalty: false, phaseMs: 0 }],
    latency: { ...QUIET.latency, meanMs: 9_000 },
    text: 'vague',
    retryAfter: 'none',
    noise: 0.02,
  }
}

test('a rate limit behind slow requests is not taken for a limit in flight that keeps falling', () => {
  const goodputs = Array.from({ length: 12 }, (_, seed) => {
    const service = rateLimited(seed)
    return runDrawn(service, controlLaw()).done / runDrawn(service, omniscient(), true).done
  })
  // Virtual time: the same figures on any machine. Four of the twelve were below 0.75, the worst at 0.32.
  expect(Math.min(...goodputs)).toBeGreaterThan(0.75)
})

test('the gate finds out within a minute that a Retry-After of a day is wrong', () => {
  const goodputs = KINDS.map((kind, seed) => {
    const limits = [{ kind, windowMs: 60_000, limit: 20 + 60 * seed, burst: 10, penalty: false, phaseMs: 1_000 }]
    const reported = { retryAfter: 'constant', constantRetryMs: 86_400_000 } as const
    const service = { ...rateLimited(seed), ...reported, limits, noise: 0, horizonMs: 1_800_000 }
    return runDrawn(service, controlLaw()).done / runDrawn(service, omniscient(), true).done
  })
  // The first probe came after a quarter of an hour, so that half of half an hour was lost.
  expect(Math.min(...goodputs)).toBeGreaterThan(0.8)
})

test('slow start goes on after a cohort that lost its requests to refusals', () => {
  // 34 a second behind requests of 6.7 s, which needs 228 in flight: growth ended at 68 for good.
  const service = draw(720_300_869)
  const { done } = runDrawn(service, controlLaw())
  expect(done / runDrawn(service, omniscient(), true).done).toBeGreaterThan(0.75)
})

// Virtual time: the same figures on any machine. Beside each draw, what it reached before.
test.each([
  ['a burst of answers that take equally long does not fill a service far beyond its knee (0.49)', 930_100_113, 0.65],
  ['a pause ends with the window where another client and two limits shift its end (0.76)', 930_100_043, 0.85],
  ['a small limit that is raised fivefold is used, and sparse refusals cost little (0.49)', 930_100_068, 0.6],
  ['a cold start behind a vague text is forgotten within seconds (0.10)', 983_100_057, 0.7],
  ['a limit that counts refused requests is not kept closed by a probe at each window end (0.01)', 977_100_714, 0.7],
])('the control law on a drawn service: %s', (_, seed, least) => {
  const service = draw(seed)
  const { done } = runDrawn(service, controlLaw())
  expect(done / runDrawn(service, omniscient(), true).done).toBeGreaterThan(least)
})

test('the pace under a token bucket stays at the limit, rather than above it with every tenth request refused', () => {
  const refused = Array.from({ length: 8 }, (_, seed) => {
    const bucket = { kind: 'bucket', windowMs: 60_000, limit: 100 * (1 + seed), burst: 20, penalty: false } as const
    const limits = [{ ...bucket, phaseMs: 0 }]
    const latency = { meanMs: 500, sigma: 0.3, coldUntilMs: 0, coldExtraMs: 0, knee: null, steepness: 1 }
    const service = { ...rateLimited(seed), limits, latency, text: 'explicit', retryAfter: 'exact', noise: 0 } as const
    const { refused: count, sent } = runDrawn(service, controlLaw())
    return count / sent
  })
  // 0.17 in the mean before.
  expect(refused.reduce((sum, share) => sum + share, 0) / refused.length).toBeLessThan(0.08)
})

test.each(Object.entries(FIRST_REFUSED))(
  'one refusal of the very first request costs hardly any time: %s',
  (_, regime) => {
    expect(firstRefusalTimes(regime, controlLaw(), omniscient(10))).toBeLessThan(1.5)
  },
)
