import { parseArgs } from 'node:util'
import Table from 'cli-table3'
import { startTestRedis } from '../../test/support/redis.ts'
import { simFirstRefusal } from './random/first-refusal.ts'
import { simKnown } from './random/known-regimes.ts'
import { reportParts, simRandom } from './random/sim-random.ts'
import { LIMITS } from './sim/regimes.ts'
import { fairness, simulate } from './sim/simulate.ts'

/*
 * npm run bench -- simulator [--seeds N] [--minutes N] [--processes N] [--only TEXT]
 * npm run bench -- simulator --known
 * npm run bench -- simulator --random N [--seed S] [--compare] [--scripts] [--worst N] [--from N] [--save FILE]
 * npm run bench -- simulator --random N [--seed S] --without NAME,NAME|all
 * npm run bench -- simulator --parts FILE,FILE [--worst N]
 *
 * --known runs the law alone in situations that an earlier release failed in, and with the first request refused.
 * --random draws N services from the distribution of random/draw.ts and reports goodput and refusals as distributions.
 * It runs the law's own Lua source, translated; --scripts runs the whole scripts in Redis, asked by all processes,
 * which takes a hundred times as long; --compare adds other clients. --without removes mechanisms of the law
 * (random/ablations.ts), one at a time, and compares on the same draws. --from begins at a later draw of the seed and --save
 * keeps the rows, so that a long run can be made in parts; --parts reports them together.
 *
 * The gate's own scripts in a real Redis, against a simulated service at simulated times: the same seeds give the same
 * numbers, whatever the machine does besides. The last line is JSON.
 */

const { values } = parseArgs({
  options: {
    seeds: { type: 'string', default: '2' },
    minutes: { type: 'string', default: '60' },
    processes: { type: 'string', default: '8' },
    only: { type: 'string', default: '' },
    random: { type: 'string' },
    known: { type: 'boolean', default: false },
    seed: { type: 'string', default: '1' },
    without: { type: 'string', default: '' },
    compare: { type: 'boolean', default: false },
    scripts: { type: 'boolean', default: false },
    worst: { type: 'string', default: '20' },
    from: { type: 'string', default: '0' },
    save: { type: 'string' },
    parts: { type: 'string' },
  },
})
if (values.known) {
  simKnown()
  simFirstRefusal()
  process.exit(0)
}
if (values.parts !== undefined) {
  reportParts(values.parts.split(','), Number(values.worst))
  process.exit(0)
}
if (values.random !== undefined) {
  const { compare, scripts, save } = values
  const count = { draws: Number(values.random), seed: Number(values.seed), worst: Number(values.worst) }
  const without = values.without === '' ? [] : values.without.split(',')
  await simRandom({ ...count, compare, scripts, save, without, from: Number(values.from) })
  process.exit(0)
}
const processes = Number(values.processes)
const seeds = Array.from({ length: Number(values.seeds) }, (_, index) => index + 1)
const regimes = Object.entries(LIMITS).filter(([name]) => name.includes(values.only))

const table = new Table({ head: ['regime', 'goodput', 'refused', 'failed', 'lost', 'Jain', 'script calls / request'] })
const results = []
await using server = await startTestRedis()
for (const [name, plan] of regimes) {
  const runs = []
  for (const seed of seeds) {
    const simulation = { plan, processes, slots: 400 / processes, lengthMs: Number(values.minutes) * 60_000, seed }
    runs.push(await simulate(simulation, server.connection))
  }
  const result = {
    goodput: mean(runs.map((run) => run.goodput)),
    refused: mean(runs.map((run) => run.refused)),
    failed: runs.reduce((sum, run) => sum + run.failed, 0),
    lost: runs.reduce((sum, run) => sum + run.lost, 0),
    jain: Math.min(...runs.map((run) => fairness(run.donePerProcess))),
    calls: mean(runs.map((run) => run.callsPerRequest)),
  }
  results.push(result)
  table.push([
    name,
    result.goodput.toFixed(3),
    `${(100 * result.refused).toFixed(2)} %`,
    result.failed,
    result.lost,
    result.jain.toFixed(3),
    result.calls.toFixed(1),
  ])
  console.error(`${results.length} of ${regimes.length}: ${name}`)
}
console.log(table.toString())
console.log(
  JSON.stringify({
    goodput_mean: round(mean(results.map((result) => result.goodput))),
    goodput_worst: round(Math.min(...results.map((result) => result.goodput))),
    refused_mean: round(mean(results.map((result) => result.refused))),
    refused_worst: round(Math.max(...results.map((result) => result.refused))),
    lost: results.reduce((sum, result) => sum + result.lost, 0),
    jain: round(Math.min(...results.map((result) => result.jain))),
    calls_per_request: round(Math.max(...results.map((result) => result.calls))),
  }),
)

function mean(numbers: readonly number[]): number {
  return numbers.reduce((sum, number) => sum + number, 0) / numbers.length
}

function round(value: number): number {
  return Math.round(value * 10_000) / 10_000
}
