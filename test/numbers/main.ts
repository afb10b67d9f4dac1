import { seedRuns } from '../support/seed-runs.ts'
import { numbersRun } from './numbers-run.ts'

/*
 * `npm run test:numbers -- --runs N --seed S`: N sources with seeds S, S + 1, …; one line for each, and one for each breach
 * with its seed.
 */

const sum = { sources: 0, runs: 0, beside: 0, capped: 0, breaches: 0 }

await seedRuns(sum, async (draw, host, say) => {
  const { seed, steps, breaches } = await numbersRun(draw, host)
  say(`seed ${seed}: ${steps.length} runs, ${breaches.length} breaches`)
  for (const breach of breaches) say(`  seed ${seed}, ${breach}`)
  sum.sources += 1
  sum.runs += steps.length
  sum.beside += steps.slice(1).filter(({ beside }) => beside).length
  sum.capped += steps.filter(({ cap }) => cap !== null).length
  sum.breaches += breaches.length
})
