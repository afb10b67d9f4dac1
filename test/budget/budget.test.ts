import { expect, test } from 'vitest'
import { bundle } from '../support/bundle.ts'
import { bundledForAll } from '../support/bundled.ts'
import { startTestRedis } from '../support/redis.ts'
import { budgetPlan, budgetRun } from './budget-run.ts'
import { seedFrom } from '../support/seed.ts'

const SEED = seedFrom('BUDGET_SEED', 1)
const RUNS = 6

test(`${RUNS} capped runs of real processes from seed ${SEED}: within the stated bound, and records agree with the service's ledger`, async () => {
  const program = bundledForAll() ?? (await bundle())
  await using redis = await startTestRedis()
  for (let seed = SEED; seed < SEED + RUNS; seed += 1) {
    const plan = budgetPlan(seed)
    const { breaches } = await budgetRun(plan, { redis, program })
    expect(breaches, JSON.stringify(plan)).toEqual([])
  }
}, 600_000)
