import { mkdtemp } from 'node:fs/promises'
import { loadavg, tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { startTestRedis } from '../../test/support/redis.ts'
import { regimes } from './regimes.ts'
import { runRegime } from './run-regime.ts'
import { summaryOf, tableOf } from './tables.ts'

/*
 * npm run bench:gate -- [--quick] [--only TEXT]
 *
 * Eight processes of the real worker against a service with limits that nobody tells them, in real time; windows and
 * times of work are a tenth of the real ones. The last line is JSON.
 */

const { values } = parseArgs({
  options: {
    quick: { type: 'boolean', default: false },
    only: { type: 'string', default: '' },
    window: { type: 'string', default: '6000' },
  },
})

const QUICK = ['rate 600, first window', '20 places, reject', '20 places, queue', 'plan up: places']
const all = regimes(Number(values.window))
const chosen = all.filter(({ name }) =>
  values.quick ? QUICK.some((start) => name.startsWith(start)) : name.includes(values.only),
)
await using redis = await startTestRedis()
const results = []
for (const regime of chosen) {
  const folder = await mkdtemp(join(tmpdir(), 'sluice-bench-gate-'))
  const result = await runRegime(regime, { redisUrl: redis.url, folder, workers: 8, slots: 30 })
  results.push(result)
  console.error(
    `${results.length} of ${chosen.length}: ${regime.name} (load ${loadavg()[0]?.toFixed(1)}) ${JSON.stringify(result)}`,
  )
}
console.log(tableOf(results))
console.log(JSON.stringify(summaryOf(results)))
