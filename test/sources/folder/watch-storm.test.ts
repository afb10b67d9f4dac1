import { expect, test } from 'vitest'
import { watchStorm } from './watch-storm.ts'
import { seedFrom } from '../../support/seed.ts'

const SEED = seedFrom('STORM_SEED', 'fresh')

test('in a storm of slow writes, renames, replacements and old dates a watch reports every document once, and whole', async () => {
  const report = await watchStorm(500, SEED)
  expect(report).toEqual({ bursts: 500, half_written: 0, duplicates: 0, missed: 0, excused: expect.any(Number) })
})
