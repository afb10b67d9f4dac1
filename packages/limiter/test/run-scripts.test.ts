import { afterAll, beforeAll, expect, test } from 'vitest'
import { QUIET, queue, rate, refuse } from '../../../bench/limiter/regimes.ts'
import { runScripts } from '../../../bench/limiter/run-scripts.ts'
import type { Service } from '../../../bench/limiter/draw.ts'
import { startTestRedis, type TestRedis } from '../../../test/support/redis.ts'

/* The gates of several processes, their scripts in a real Redis, at virtual times: the same figures on any machine. */

let server: TestRedis
beforeAll(async () => void (server = await startTestRedis()))
afterAll(() => server[Symbol.asyncDispose]())

const MINUTE_MS = 60_000
const run = (regime: Partial<Service>, options = {}) =>
  runScripts({ ...QUIET, processes: 8, slots: 160, horizonMs: 2 * MINUTE_MS, ...regime }, server.connection, options)

test.each([
  ['300 a minute', { limits: [rate(300)], horizonMs: 5 * MINUTE_MS }, 1_300],
  ['20 places, refuses', { concurrency: refuse(20) }, 8_000],
  ['20 places, queues', { concurrency: queue(20) }, 8_000],
  ['2 places of 50 processes', { concurrency: refuse(2), processes: 50, slots: 100, horizonMs: 5 * MINUTE_MS }, 1_750],
])('processes share %s evenly, use it, and lose nothing', async (_, regime, least) => {
  const result = await run(regime)
  expect(result).toMatchObject({ lost: 0, burnt: 0, undercut: 0 })
  expect(result.done).toBeGreaterThan(least)
  expect(result.jain).toBeGreaterThan(0.95)
  expect(result.callsPerDocument).toBeLessThan(6)
})

test('an outage costs some probes and no document', async () => {
  const outages = [{ fromMs: 30_000, toMs: 330_000, retryAfter: false }]
  const result = await run({ concurrency: queue(20), outages, horizonMs: 6 * MINUTE_MS })
  // Each waits a fifth of the outage's age: some twenty until that is ten seconds, and one in ten seconds from then on.
  expect(result.unavailable).toBeLessThanOrEqual(90)
  expect(result).toMatchObject({ lost: 0, burnt: 0 })
})

test('only documents that the service fails end as failed', async () => {
  expect(await run({ limits: [rate(600)], concurrency: queue(20) }, { poison: 0.03 })).toMatchObject({ lost: 0 })
})
