import { expect, test } from 'vitest'
import { findPrometheus } from '../../support/prometheus.ts'
import { startTestRedis } from '../../support/redis.ts'
import { metricsRun } from '../random/metrics-run.ts'
import { seedFrom } from '../../support/seed.ts'

/** Of the first of two runs: one process of each kind and a kill. `npm run test:metrics` draws more. */
const SEED = seedFrom('METRICS_SEED', 2)

const programs = await findPrometheus()
if (typeof programs === 'string') console.warn(`random runs are not scraped: ${programs}`)

test.skipIf(typeof programs === 'string')(
  `in runs at random each query answers what service, store, Redis and log say (seed ${SEED})`,
  async () => {
    if (typeof programs === 'string') throw new Error(programs)
    await using redis = await startTestRedis()
    for (const seed of [SEED, SEED + 1]) {
      const { drawn, breaches } = await metricsRun(seed, { programs, redis, s3: null, bundle: null })
      expect(breaches, JSON.stringify(drawn)).toEqual([])
    }
  },
  240_000,
)
