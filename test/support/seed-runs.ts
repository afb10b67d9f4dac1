import { parseArgs } from 'node:util'
import { bundle } from './bundle.ts'
import type { Bundle } from './bundled.ts'
import { startTestRedis, type TestRedis } from './redis.ts'

export interface SeedHost {
  readonly redis: TestRedis
  readonly program: Bundle
}

/** One draw; `say` writes a line of what it found. */
type RunSeed = (seed: number, host: SeedHost, say: (line: string) => void) => Promise<void>

/**
 * The command line of a generator: `--runs N --seed S --side-by-side K` runs the seeds S, S + 1, … on K servers of their
 * own. `run` says what it found in lines; the last line is `sum` as one JSON object. Exit code 2 with a breach.
 */
export async function seedRuns(sum: { readonly breaches: number }, run: RunSeed): Promise<void> {
  const { values } = parseArgs({
    options: {
      runs: { type: 'string', default: '20' },
      seed: { type: 'string', default: '1' },
      'side-by-side': { type: 'string', default: '2' },
    },
  })
  const say = (line: string): void => void process.stdout.write(`${line}\n`)
  const until = Number(values.seed) + Number(values.runs)
  await using program = await bundle()
  let next = Number(values.seed)
  const slot = async (): Promise<void> => {
    await using redis = await startTestRedis()
    while (next < until) await run(next++, { redis, program }, say)
  }
  await Promise.all(Array.from({ length: Number(values['side-by-side']) }, slot))
  say(JSON.stringify(sum))
  process.exitCode = sum.breaches > 0 ? 2 : 0
}
