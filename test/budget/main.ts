import { parseArgs } from 'node:util'
import { bundle } from '../support/bundle.ts'
import { startTestRedis } from '../support/redis.ts'
import { budgetPlan, budgetRun } from './budget-run.ts'

/*
 * `npm run test:budget -- --runs N --seed S`: N capped runs of real processes with seeds S, S + 1, …. Each is told in one
 * line, and each breach with its seed; the last line is the sum as one JSON object.
 */

const { values } = parseArgs({
  options: {
    runs: { type: 'string', default: '20' },
    seed: { type: 'string', default: '1' },
    'side-by-side': { type: 'string', default: '2' },
  },
})
const say = (line: string): void => void process.stdout.write(`${line}\n`)
const until = Number(values.seed) + Number(values.runs)
const sum = { runs: 0, breaches: 0, withinCap: 0, over: 0, ambiguous: 0, largestShareOfBound: 0 }
await using program = await bundle()
let next = Number(values.seed)

async function slot(): Promise<void> {
  await using redis = await startTestRedis()
  while (next < until) {
    const plan = budgetPlan(next++)
    const { charged, over, bound, ambiguous, breaches } = await budgetRun(plan, { redis, program })
    say(`${JSON.stringify(plan)}: charged ${charged}, over ${over} of ${bound}, ${ambiguous} in doubt`)
    for (const breach of breaches) say(`  seed ${plan.seed}: ${breach}`)
    sum.runs += 1
    sum.breaches += breaches.length
    sum.ambiguous += ambiguous
    if (over > 0) sum.over += 1
    else sum.withinCap += 1
    if (over > 0) sum.largestShareOfBound = Math.max(sum.largestShareOfBound, over / bound)
  }
}

await Promise.all(Array.from({ length: Number(values['side-by-side']) }, slot))
say(JSON.stringify(sum))
process.exitCode = sum.breaches > 0 ? 2 : 0
