import { seedRuns } from '../support/seed-runs.ts'
import { budgetPlan, budgetRun } from './budget-run.ts'

/*
 * `npm run test:budget -- --runs N --seed S`: N capped runs of real processes with seeds S, S + 1, …; one line for each, and
 * one for each breach with its seed.
 */

const sum = { runs: 0, breaches: 0, withinCap: 0, over: 0, ambiguous: 0, largestShareOfBound: 0 }

await seedRuns(sum, async (seed, host, say) => {
  const plan = budgetPlan(seed)
  const { charged, over, bound, ambiguous, breaches } = await budgetRun(plan, host)
  say(`${JSON.stringify(plan)}: charged ${charged}, over ${over} of ${bound}, ${ambiguous} in doubt`)
  for (const breach of breaches) say(`  seed ${seed}: ${breach}`)
  sum.runs += 1
  sum.breaches += breaches.length
  sum.ambiguous += ambiguous
  if (over > 0) sum.over += 1
  else sum.withinCap += 1
  if (over > 0) sum.largestShareOfBound = Math.max(sum.largestShareOfBound, over / bound)
})
