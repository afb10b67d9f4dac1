import { startRedis } from '../../test/gate/start-redis.ts'
import { LIMITS } from './sim/regimes.ts'
import { fairness, simulate } from './sim/simulate.ts'

const HOUR_MS = 3_600_000
const seeds = [1]
const only = process.argv[2]
await using server = await startRedis()
for (const [name, plan] of Object.entries(LIMITS)) {
  if (only !== undefined && !name.includes(only)) continue
  for (const seed of seeds) {
    const startedAt = performance.now()
    const result = await simulate({ plan, processes: 8, slots: 50, lengthMs: HOUR_MS, seed }, server.redis)
    console.log(
      name.padEnd(42),
      result.goodput.toFixed(3),
      `${(100 * result.refused).toFixed(2)} %`,
      'lost', result.lost,
      'jain', fairness(result.donePerProcess).toFixed(3),
      'calls', result.callsPerRequest.toFixed(1),
      `${((performance.now() - startedAt) / 1000).toFixed(1)} s`, result.answers.length
    )
  }
}
