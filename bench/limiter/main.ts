import { parseArgs } from 'node:util'
import Table from 'cli-table3'
import { startTestRedis } from '../../test/support/redis.ts'
import { benchCost } from './cost.ts'
import { draw, type Service } from './draw.ts'
import { controlLaw, LAW_SOURCE, loadLaw } from './law-policy.ts'
import { MECHANISMS, without } from './mechanisms.ts'
import { aimd, awsAdaptive, omniscient, type PolicyMaker } from './policies.ts'
import { benchReal } from './real.ts'
import { QUIET, REGIMES } from './regimes.ts'
import { ablationTable, familyTable, goodput, mean, policyTable, type Row, summary, worstOf } from './report.ts'
import { runDrawn } from './run-drawn.ts'
import { runScripts } from './run-scripts.ts'

/*
 * npm run bench -- limiter [--seed N] [--draws N] [--worst N]   the law beside other clients, on drawn services
 * npm run bench -- limiter --known                              the law in named situations
 * npm run bench -- limiter --without NAME,NAME|all              the law without its mechanisms, paired with the whole one
 * npm run bench -- limiter --scripts                            the gate of all processes, in a real Redis: Jain, round trips
 * npm run bench -- limiter --real                               two real workers over real HTTP, in named situations
 * npm run bench -- limiter --cost                               processor time of the limiter alone
 *
 * Services are drawn from a published distribution (draw.ts): the same seed gives the same figures on any machine, as time
 * is virtual in all but --real and --cost. The simulator runs the law's own Lua, translated. Goodput is a share of what an
 * omniscient client completes, less a tenth of a document for each 503. The last line is JSON.
 */

const { values } = parseArgs({
  options: {
    draws: { type: 'string', default: '200' },
    seed: { type: 'string', default: '1' },
    worst: { type: 'string', default: '10' },
    known: { type: 'boolean', default: false },
    without: { type: 'string' },
    scripts: { type: 'boolean', default: false },
    real: { type: 'boolean', default: false },
    cost: { type: 'boolean', default: false },
  },
})
const drawn = Array.from({ length: Number(values.draws) }, (_, index) => draw(Number(values.seed) * 100_000 + index))

if (values.known) known()
else if (values.without !== undefined) ablate(values.without === 'all' ? null : values.without.split(','))
else if (values.scripts) await scripts()
else if (values.real) await benchReal()
else if (values.cost) await benchCost()
else compare()

function rowsOf(services: readonly Service[]): (make: PolicyMaker, ideal?: boolean) => Row[] {
  const best = services.map((service) => runDrawn(service, omniscient(), true).done)
  return (make, ideal = false) =>
    services.map((service, i) => ({ drawn: service, best: best[i] ?? 0, result: runDrawn(service, make, ideal) }))
}

function compare(): void {
  const run = rowsOf(drawn)
  const law = run(controlLaw())
  const rows = new Map([
    ['the law', law],
    ['AIMD', run(aimd)],
    ['AWS adaptive, shared', run(awsAdaptive)],
    ['knows the limit, starts with 10', run(omniscient(10), true)],
  ])
  console.log(policyTable(rows))
  console.log(familyTable(law))
  console.log(`The ${values.worst} worst: goodput, refused beyond noise, service`)
  console.log(worstOf(law, Number(values.worst)))
  console.log(JSON.stringify(summary(law)))
}

function known(): void {
  const table = new Table({ head: ['situation', 'goodput', 'refused'] })
  const goodputs = Object.entries(REGIMES).map(([name, regime]) => {
    const rows = rowsOf([1, 2, 3, 4, 5].map((seed): Service => ({ ...QUIET, ...regime, seed })))(controlLaw())
    const share = mean(rows.map(goodput))
    const refused = mean(rows.map(({ result }) => result.refused / result.sent))
    table.push([name, share.toFixed(3), `${(100 * refused).toFixed(1)} %`])
    return share
  })
  console.log(table.toString())
  console.log(JSON.stringify({ goodput_mean: mean(goodputs), goodput_worst: Math.min(...goodputs) }))
}

function ablate(names: readonly string[] | null): void {
  const run = rowsOf(drawn)
  const whole = run(controlLaw())
  const found = new Map<string, Row[]>()
  for (const name of names ?? MECHANISMS.map((mechanism) => mechanism.name)) {
    found.set(name, run(controlLaw(loadLaw(without(name, LAW_SOURCE)))))
  }
  console.log(ablationTable(whole, found))
  console.log(JSON.stringify(summary(whole)))
}

async function scripts(): Promise<void> {
  await using server = await startTestRedis()
  const best = drawn.map((service) => runDrawn(service, omniscient(), true).done)
  const results = []
  for (const service of drawn) results.push(await runScripts(service, server.connection))
  const rows = results.map((result, i): Row => ({ drawn: drawn[i]!, best: best[i] ?? 0, result }))
  console.log(policyTable(new Map([['the gate in Redis', rows]])))
  const jain = results.map((result) => result.jain)
  const calls = results.map((result) => result.callsPerDocument)
  console.log(
    JSON.stringify({
      ...summary(rows),
      jain_mean: mean(jain),
      jain_worst: Math.min(...jain),
      calls_per_document: mean(calls),
    }),
  )
}
