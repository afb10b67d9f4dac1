import { expect, test } from 'vitest'
import { bundle } from '../support/bundle.ts'
import { bundledForAll } from '../support/bundled.ts'
import { startTestRedis } from '../support/redis.ts'
import { numbersRun } from './numbers-run.ts'
import { seedFrom } from '../support/seed.ts'

const SEED = seedFrom('NUMBERS_SEED', 1)
const SOURCES = 2

test(`${SOURCES} sources from seed ${SEED}, changed between runs with other flags: every command, the store, the service and the source agree on every number`, async () => {
  const program = bundledForAll() ?? (await bundle())
  await using redis = await startTestRedis()
  for (let seed = SEED; seed < SEED + SOURCES; seed += 1) {
    const { breaches, steps } = await numbersRun(seed, { redis, program })
    expect(breaches, JSON.stringify(steps)).toEqual([])
  }
}, 300_000)
