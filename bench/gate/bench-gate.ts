import { mkdtemp } from 'node:fs/promises'
import { loadavg, tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { startTestRedis } from '../../test/support/redis.ts'
import { BASELINES, type BaselineResult, runBaseline } from './compare/run-baseline.ts'
import { benchLimiterCost } from './limiter-cost.ts'
import { benchRandom } from './random/bench-random.ts'
import { quickRegimes, type Regime, regimes } from './regimes.ts'
import { runForeign } from './run-foreign.ts'
import { type RegimeResult, runRegime } from './run-regime.ts'
import { compareTable, summaryOf, tableOf } from './tables.ts'

/*
 * npm run bench -- limiter --random N [--seed S]
 * npm run bench -- limiter --cost [--documents N]
 * npm run bench -- limiter [--quick] [--only TEXT] [--compare] [--window MS] [--server URL [--seconds N]]
 *
 * Runs eight processes of the real worker in real time against a service whose limits no setting states. Windows are a
 * tenth of a minute, and every pause is shortened alike. The last line is JSON.
 *
 * --random runs draws of `bench -- simulator --random` (random/draw.ts) with real processes and real HTTP, all times divided. It prints
 * for each: goodput, that of the law alone in virtual time, refused, Jain, script calls, processor ms and starts a request.
 *
 * --cost measures the limiter alone: processor time and script calls a document, where a service answers at once.
 *
 * --compare runs the regimes also with the contract's reference pattern and with BullMQ's own limiter set right.
 * --server runs the workers against a service that already runs, and reports their measurements of it.
 */

const { values } = parseArgs({
  options: {
    quick: { type: 'boolean', default: false },
    only: { type: 'string', default: '' },
    compare: { type: 'boolean', default: false },
    window: { type: 'string', default: '6000' },
    server: { type: 'string' },
    seconds: { type: 'string', default: '60' },
    random: { type: 'string' },
    seed: { type: 'string', default: '1' },
    cost: { type: 'boolean', default: false },
    documents: { type: 'string', default: '5000' },
  },
})

for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1))
if (values.cost) {
  await benchLimiterCost(Number(values.documents))
  process.exit(0)
}
await using redis = await startTestRedis()

async function environment() {
  return { redisUrl: redis.url, folder: await mkdtemp(join(tmpdir(), 'sluice-bench-gate-')), workers: 8, slots: 30 }
}

if (values.random !== undefined) {
  const folder = async (): Promise<string> => (await environment()).folder
  const drawn = { draws: Number(values.random), seed: Number(values.seed), folder }
  await benchRandom({ ...drawn, redisUrl: redis.url })
} else if (values.server === undefined) await runAll(chosen(Number(values.window)))
else {
  const foreign = { url: values.server, seconds: Number(values.seconds), windowMs: Number(values.window) }
  console.log(JSON.stringify(await runForeign(foreign, await environment())))
}

function chosen(windowMs: number): readonly Regime[] {
  return (values.quick ? quickRegimes(windowMs) : regimes(windowMs)).filter(({ name }) => name.includes(values.only))
}

async function runAll(all: readonly Regime[]): Promise<void> {
  const results: RegimeResult[] = []
  const baselines: BaselineResult[] = []
  for (const regime of all) {
    const result = await runRegime(regime, await environment())
    results.push(result)
    const load = loadavg()[0]?.toFixed(1)
    console.error(`${results.length} of ${all.length}, load ${load}: ${JSON.stringify(result)}`)
    if (!values.compare) continue
    for (const kind of BASELINES) baselines.push(await runBaseline(kind, regime, await environment()))
  }
  console.log(tableOf(results))
  if (values.compare) console.log(compareTable(results, baselines))
  console.log(JSON.stringify(summaryOf(results)))
}
