import { parseArgs } from 'node:util'
import { startTestRedis } from '../support/redis.ts'
import { ChargingService } from './charging-service.ts'
import { faultRun, type FaultRunResult } from './fault-run.ts'
import { planOf } from './plan.ts'

/*
 * `npm run test:faults -- --runs N --seed S`: N runs with seeds S, S + 1, …, several side by side. Each breach is told
 * with its seed; the last line is the sum as one JSON object. `--runs 1 --seed X` does a single one again.
 */

export interface CampaignOptions {
  readonly runs: number
  readonly seed: number
  readonly sideBySide: number
  /** Few documents and one or two faults. */
  readonly short: boolean
  readonly mutant: string | null
  /** Ends at the first seed that breaks a law. */
  readonly untilFound: boolean
  readonly say: (line: string) => void
}

export interface CampaignResult {
  readonly runs: number
  readonly lost: number
  readonly paid_twice_received: number
  readonly ambiguous: number
  readonly ambiguous_bound: number
  readonly torn: number
  readonly unexplained: number
  readonly conservation_errors: number
}

export async function campaign(options: CampaignOptions): Promise<CampaignResult> {
  await using service = await ChargingService.start()
  const results: FaultRunResult[] = []
  let next = options.seed
  let found = false
  const slot = async (): Promise<void> => {
    await using redis = await startTestRedis()
    while (next < options.seed + options.runs && !(found && options.untilFound)) {
      const plan = planOf(next++, options)
      const startedAt = Date.now()
      const result = await faultRun({ plan, service, redis, mutant: options.mutant })
      results.push(result)
      found ||= Object.values(result.breaches).flat().length > 0
      const faults = plan.faults.map(({ kind }) => kind).join(' ')
      options.say(
        `seed ${plan.seed}: ${plan.documents} documents, ${result.requests} requests, ${faults}, ` +
          `${result.ambiguous} of ${result.ambiguousBound} in doubt, ${Date.now() - startedAt} ms`,
      )
      for (const [law, said] of Object.entries(result.breaches)) {
        for (const sentence of said) options.say(`  seed ${plan.seed} ${law}: ${sentence}`)
      }
    }
  }
  await Promise.all(Array.from({ length: options.sideBySide }, slot))
  return sumOf(results)
}

function sumOf(results: readonly FaultRunResult[]): CampaignResult {
  const sum = (of: (result: FaultRunResult) => number): number => results.reduce((total, one) => total + of(one), 0)
  return {
    runs: results.length,
    lost: sum(({ breaches }) => breaches.lost.length),
    paid_twice_received: sum(({ breaches }) => breaches.paidTwice.length),
    ambiguous: sum(({ ambiguous }) => ambiguous),
    ambiguous_bound: sum(({ ambiguousBound }) => ambiguousBound),
    torn: sum(({ breaches }) => breaches.torn.length),
    unexplained: sum(({ breaches }) => breaches.unexplained.length),
    conservation_errors: sum(({ breaches }) => breaches.conservation.length),
  }
}

/** Whether a law was broken. */
export function isBroken(result: CampaignResult): boolean {
  const { lost, paid_twice_received, torn, unexplained, conservation_errors, ambiguous, ambiguous_bound } = result
  return lost + paid_twice_received + torn + unexplained + conservation_errors > 0 || ambiguous > ambiguous_bound
}

if (import.meta.main) {
  const { values } = parseArgs({
    options: {
      runs: { type: 'string', default: '100' },
      seed: { type: 'string', default: '1' },
      'side-by-side': { type: 'string', default: '4' },
      short: { type: 'boolean', default: false },
      mutant: { type: 'string' },
    },
  })
  const result = await campaign({
    runs: Number(values.runs),
    seed: Number(values.seed),
    sideBySide: Number(values['side-by-side']),
    short: values.short,
    mutant: values.mutant === undefined ? null : `${values.mutant}.ts`,
    untilFound: values.mutant !== undefined,
    say: (line) => void process.stdout.write(`${line}\n`),
  })
  process.stdout.write(`${JSON.stringify(result)}\n`)
  process.exitCode = isBroken(result) ? 2 : 0
}
