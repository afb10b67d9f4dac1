import { parseArgs } from 'node:util'
import { cutPower } from './cut-power.ts'

/*
 * `npm run test:power-loss -- --points N --seed S`: N losses of power, 20 of each drawn program; one line for each breach, and
 * one JSON object at the end. Exit code 2 with a breach.
 */

const POINTS_EACH = 20

const { values } = parseArgs({
  options: { points: { type: 'string', default: '500' }, seed: { type: 'string', default: '1' } },
})
const sum = { points: 0, breaches: 0, safe: 0 }
for (let seed = Number(values.seed); sum.points < Number(values.points); seed++) {
  const { breaches, safe } = await cutPower(seed, POINTS_EACH)
  for (const breach of breaches) console.log(breach)
  sum.points += POINTS_EACH
  sum.breaches += breaches.length
  sum.safe += safe
}
console.log(JSON.stringify(sum))
process.exitCode = sum.breaches > 0 ? 2 : 0
