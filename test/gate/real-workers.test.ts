import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { quickRegimes } from '../../bench/gate/regimes.ts'
import { runRegime } from '../../bench/gate/run-regime.ts'
import { startTestRedis, type TestRedis } from '../support/redis.ts'

let redis: TestRedis
beforeAll(async () => {
  redis = await startTestRedis()
})
afterAll(() => redis[Symbol.asyncDispose]())

const WINDOW_MS = 1_500

/**
 * `npm run bench -- limiter --quick` with windows of a second and a half and three workers. The bounds are loose, since the machine
 * does other things as well: a client that has not learned the limit is refused half of its requests or idles.
 */
test.each(quickRegimes(WINDOW_MS).map((regime) => [regime.name, regime] as const))(
  'real workers learn limits that no setting states, and lose no document: %s',
  { timeout: 240_000 },
  async (_, regime) => {
    const folder = await mkdtemp(join(tmpdir(), 'sluice-real-workers-'))
    const result = await runRegime(regime, { redisUrl: redis.url, folder, workers: 3, slots: 20 })
    expect(result).toMatchObject({ lost: 0, undercut: 0, attemptsBurnt: 0, c402: 0, errors: [] })
    expect(result.goodput).toBeGreaterThan(0.3)
    expect(result.refused).toBeLessThan(0.1)
  },
)
