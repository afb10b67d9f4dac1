import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { LIMITS, type ServicePlan } from '../../bench/gate/sim/regimes.ts'
import { bestPossible } from '../../bench/gate/sim/simulated-service.ts'
import { fairness, simulate, type SimulationResult } from '../../bench/gate/sim/simulate.ts'
import { startTestRedis, type TestRedis } from '../support/redis.ts'

let server: TestRedis
beforeAll(async () => void (server = await startTestRedis()))
afterAll(() => server[Symbol.asyncDispose]())

/** Simulated time is cheap, but the machine may be busy. */
const TIMEOUT_MS = 120_000

const MINUTE_MS = 60_000

/** A short form of `npm run bench -- simulator`, which holds the goals over a whole hour. */
function run(plan: ServicePlan | undefined, minutes: number, poison = 0): Promise<SimulationResult> {
  if (plan === undefined) throw new Error('no such regime')
  const simulation = { plan, processes: 8, slots: 10, lengthMs: minutes * MINUTE_MS, seed: 1, poison }
  return simulate(simulation, server.connection)
}

describe('the gate, simulated', { timeout: TIMEOUT_MS }, () => {
  test.each([
    // Two refusals corroborate the limit and one ends each trial: of 1,500 requests that is more than of 10,000, and at
    // ten a window one refusal is a tenth of it.
    ['rate 100, fixed window', 15, 0.97, 0.035],
    ['20 places, refuses', 5, 0.95, 0.015],
    ['20 places, queues', 5, 0.92, 0],
    ['rate 10, fixed window', 60, 0.95, 0.14],
  ])('%s: uses the limit, wastes little, loses nothing', async (name, minutes, goodput, refused) => {
    const result = await run(LIMITS[name], minutes)
    expect(result.goodput).toBeGreaterThan(goodput)
    expect(result.refused).toBeLessThanOrEqual(refused)
    expect(result.lost).toBe(0)
    expect(fairness(result.donePerProcess)).toBeGreaterThan(0.97)
    expect(result.callsPerRequest).toBeLessThan(5)
  })

  test('a limit whose first window others had used up is found within minutes', async () => {
    const { goodput, refused } = await run(LIMITS['rate 100, but for one taken by others at first'], 10)
    // Of ten minutes, one is over before the first window ends. Twelve refusals in a thousand requests find the limit.
    expect(goodput).toBeGreaterThan(0.8)
    expect(refused).toBeLessThan(0.05)
  })

  test('an outage costs some probes, no document, and no time after it', async () => {
    const plan: ServicePlan = { window: 'fixed', rate: 200, places: 20, outage: [2 * MINUTE_MS, 12 * MINUTE_MS] }
    const { answers, lost } = await run(plan, 14)
    const from = plan.outage?.[0] ?? 0
    const until = plan.outage?.[1] ?? 0
    const sentInOutage = answers.filter(({ sentAt }) => sentAt > from && sentAt < until)
    // Each waits a fifth of the outage's age: some twenty until that is ten seconds, and one in ten seconds from then on.
    expect(sentInOutage.length).toBeLessThanOrEqual(80)
    expect(lost).toBe(0)
    const inMinuteAfter = answers.filter(({ at, status }) => status === 200 && at > until + MINUTE_MS)
    expect(inMinuteAfter.length).toBeGreaterThan(0.9 * bestPossible(plan, until, until + MINUTE_MS))
  })

  test('poison documents fail, and no other document', async () => {
    const result = await run({ window: 'fixed', rate: 500, places: 40 }, 4, 0.03)
    expect(result.failed).toBeGreaterThan(0)
    expect(result.failed).toBeLessThanOrEqual(0.05 * result.done)
    expect(result.lost).toBe(0)
  })
})
