import { parseArgs } from 'node:util'
import { bundle } from '../support/bundle.ts'
import { startTestRedis } from '../support/redis.ts'
import { numbersRun } from './numbers-run.ts'

/*
 * `npm run test:numbers -- --runs N --seed S`: N sources with seeds S, S + 1, …. Each is told in one line, and each breach with its seed; the last
 * line is the sum as one JSON object.
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
const sum = { sources: 0, runs: 0, beside: 0, capped: 0, breaches: 0 }
await using program = await bundle()
let next = Number(values.seed)

async function slot(): Promise<void> {
  await using redis = await startTestRedis()
  while (next < until) {
    const { seed, steps, breaches } = await numbersRun(next++, { redis, program })
    say(`seed ${seed}: ${steps.length} runs, ${breaches.length} breaches`)
    for (const breach of breaches) say(`  seed ${seed}, ${breach}`)
    sum.sources += 1
    sum.runs += steps.length
    sum.beside += steps.slice(1).filter(({ beside }) => beside).length
    sum.capped += steps.filter(({ cap }) => cap !== null).length
    sum.breaches += breaches.length
  }
}

await Promise.all(Array.from({ length: Number(values['side-by-side']) }, slot))
say(JSON.stringify(sum))
process.exitCode = sum.breaches > 0 ? 2 : 0
