import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { regimes } from '../../bench/gate/regimes.ts'
import { runRegime } from '../../bench/gate/run-regime.ts'
import { startTestRedis } from '../support/redis.ts'

/** The shortest form of `npm run bench:gate`: its bounds are loose, since the machine may do other things as well. */
test('real workers share a limit that nobody told them, and lose nothing', { timeout: 120_000 }, async () => {
  await using redis = await startTestRedis()
  const regime = regimes(2_000).find(({ name }) => name === 'rate 100, fixed window')
  if (regime === undefined) throw new Error('no such regime')
  const folder = await mkdtemp(join(tmpdir(), 'sluice-real-workers-'))
  const short = { ...regime, windows: 5, measure: { kind: 'goodput', from: 2, to: 5 } } as const
  const result = await runRegime(short, { redisUrl: redis.url, folder, workers: 3, slots: 20 })
  expect(result).toMatchObject({ lost: 0, undercut: 0, attemptsBurnt: 0, c402: 0, errors: [] })
  expect(result.goodput).toBeGreaterThan(0.5)
  expect(result.refused).toBeLessThan(0.1)
})
