import { test } from 'vitest'
import { smokeCampaign } from '../../campaign/smoke-campaign.ts'
import { folderTarget } from '../../campaign/world/environment.ts'
import { findPrometheus } from '../../support/prometheus.ts'
import { seedFrom } from '../../support/seed.ts'

/** `npm run test:campaign -- --scenario metrics` draws more. */
const seed = seedFrom('METRICS_SEED', 2)

const programs = await findPrometheus()
if (typeof programs === 'string') console.warn(`random runs are not scraped: ${programs}`)

test.skipIf(typeof programs === 'string')(
  `in runs at random each query answers what service, store, Redis and log say (seed ${seed})`,
  () => smokeCampaign({ runs: 2, seed, sideBySide: 1, target: folderTarget, scenarios: ['metrics'] }),
  240_000,
)
