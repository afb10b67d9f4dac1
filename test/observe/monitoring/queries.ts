import { test } from 'vitest'
import { smokeCampaign } from '../../campaign/smoke-campaign.ts'
import { folderTarget } from '../../campaign/world/environment.ts'
import { findPrometheus } from '../../support/prometheus.ts'
import { seedFrom } from '../../support/seed.ts'

/** Seed 21 has two pipelines and no fault, 22 a stop; `npm run test:campaign -- --scenario metrics` draws more. */
const seed = seedFrom('METRICS_SEED', 21)

const programs = await findPrometheus()
if (typeof programs === 'string')
  console.warn(`the queries of docs/reference/metrics.md are not evaluated: ${programs}`)

test.skipIf(typeof programs === 'string')(
  `each query of docs/reference/metrics.md returns what happened in random runs scraped by Prometheus (seed ${seed})`,
  () => smokeCampaign({ runs: 2, seed, sideBySide: 1, target: folderTarget, scenarios: ['metrics'] }),
  240_000,
)
