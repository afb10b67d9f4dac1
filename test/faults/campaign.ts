import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { bundle } from '../support/bundle.ts'
import { type Bundle, bundledForAll } from '../support/bundled.ts'
import { ChargingService } from './charging-service.ts'
import { FaultRedis } from './fault-redis.ts'
import { faultRun, type FaultRunResult } from './fault-run.ts'
import { isEmpty } from './laws.ts'
import { type Mutant, MUTANTS } from './mutants.ts'
import { applyMutations } from './apply-mutations.ts'
import { type FaultKind, killingPlan, NEEDS_ENGINE, planOf } from './plan.ts'
import type { Target } from './environment.ts'

export interface CampaignOptions {
  readonly runs: number
  readonly seed: number
  readonly target: Target
  readonly sideBySide: number
  /** As in a plan. */
  readonly short: boolean
  /** Every run routes its documents by page (`Plan.routing`), with a scripted engine. */
  readonly routed?: boolean
  /** The kinds of faults to draw from; all of them when not given. */
  readonly faults?: readonly FaultKind[] | undefined
  /** Instead of all other faults: so many processes are killed, one after the other. */
  readonly kills?: number
  /** Null for the program as it is. */
  readonly mutant: Mutant | null
  /** The program, where it is bundled already: it is not disposed of. */
  readonly program?: Bundle
  /** Tells each plan before it is played. */
  readonly verbose: boolean
  /** Ends at the first seed that breaks a law. */
  readonly untilFound: boolean
  readonly say: (line: string) => void
  /** Ends the campaign: what was not played to its end does not count. */
  readonly signal?: AbortSignal
}

export interface CampaignResult {
  readonly runs: number
  /** Runs that the campaign itself could not bring to an end. */
  readonly unjudged: number
  readonly lost: number
  readonly paid_twice_received: number
  readonly ambiguous: number
  readonly ambiguous_bound: number
  readonly torn: number
  readonly unexplained: number
  readonly conservation_errors: number
  readonly endless: number
  readonly exits_0_with_unfinished: number
  readonly wrong_numbers: number
  /** The longest time from a signal to the end of its process. */
  readonly longest_stop_ms: number
  /** How often each fault interrupted. */
  readonly faults: Readonly<Record<string, number>>
}

export async function campaign(options: CampaignOptions): Promise<CampaignResult> {
  await using service = await ChargingService.start()
  await using bundled = options.program === undefined ? await programOf(options) : null
  const program = options.program ?? (bundled as Bundle)
  const results: FaultRunResult[] = []
  const { routed = false } = options
  let unjudged = 0
  let next = options.seed
  const found = new AbortController()
  const signals = [found.signal, ...(options.signal === undefined ? [] : [options.signal])]
  const signal = AbortSignal.any(signals)
  const slot = async (): Promise<void> => {
    await using redis = await FaultRedis.start()
    while (next < options.seed + options.runs && !signal.aborted) {
      const seed = next++
      const plan = options.kills === undefined ? planOf(seed, { ...options, routed }) : killingPlan(seed, options.kills)
      if (options.verbose) options.say(JSON.stringify(plan))
      const startedAt = Date.now()
      const result = await unlessAborted(
        faultRun({ plan, target: options.target, service, redis, program, signal }),
        signal,
      )
      if (result === null) return
      if (result instanceof Error) {
        options.say(`seed ${seed} was not judged: ${result.message}`)
        unjudged += 1
        continue
      }
      results.push(result)
      const faults =
        options.kills === undefined ? plan.faults.map(({ kind }) => kind).join(' ') : `${options.kills} kills`
      options.say(
        `seed ${plan.seed}: ${plan.documents} documents, ${result.requests} requests, ${faults}, ` +
          `${result.ambiguous} of ${result.ambiguousBound} in doubt, ${Date.now() - startedAt} ms`,
      )
      for (const [law, said] of Object.entries(result.breaches)) {
        for (const sentence of said) options.say(`  seed ${plan.seed} ${law}: ${sentence}`)
      }
      if (result.journal !== null) options.say(`  seed ${plan.seed}: what happened is in ${result.journal}`)
      if (options.untilFound && !isEmpty(result.breaches)) found.abort()
    }
  }
  await Promise.all(Array.from({ length: options.sideBySide }, slot))
  return { ...sumOf(results), unjudged }
}

const SCRIPTED_ENGINE = join(import.meta.dirname, 'processes/scripted-engine.ts')

/** The one that the tests have bundled, where they have: only a mistake needs a bundle of its own. */
export async function programOf({
  mutant,
  faults,
  routed = false,
}: Pick<CampaignOptions, 'mutant' | 'faults' | 'routed'>): Promise<Bundle> {
  if (routed) {
    const program = await bundle({ plugins: mutant === null ? [] : [applyMutations(MUTANTS[mutant])], children: true })
    await writeFile(program.engine, `import ${JSON.stringify(SCRIPTED_ENGINE)}\n`)
    return program
  }
  const children = faults === undefined || faults.some((fault) => NEEDS_ENGINE.includes(fault))
  if (mutant !== null) return bundle({ plugins: [applyMutations(MUTANTS[mutant])], children })
  return bundledForAll() ?? bundle({ children })
}

/** Null for what was cut off by the signal; an error where the campaign, not the program, failed. */
async function unlessAborted<T>(run: Promise<T>, signal: AbortSignal): Promise<T | Error | null> {
  try {
    return await run
  } catch (error) {
    return signal.aborted ? null : new Error(`the campaign itself failed: ${String(error)}`, { cause: error })
  }
}

function sumOf(results: readonly FaultRunResult[]): Omit<CampaignResult, 'unjudged'> {
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
    endless: sum(({ breaches }) => breaches.endless.length),
    exits_0_with_unfinished: sum(({ breaches }) => breaches.falseZero.length),
    wrong_numbers: sum(({ breaches }) => breaches.numbers.length),
    longest_stop_ms: Math.max(0, ...results.map(({ longestStopMs }) => longestStopMs)),
    faults: countsOf(results.flatMap(({ faults }) => faults)),
  }
}

function countsOf(names: readonly string[]): Record<string, number> {
  const counts: Record<string, number> = {}
  for (const name of names.toSorted()) counts[name] = (counts[name] ?? 0) + 1
  return counts
}

/** Whether a law was broken. */
export function isBroken(result: CampaignResult): boolean {
  const { lost, paid_twice_received, torn, unexplained, conservation_errors, ambiguous, ambiguous_bound } = result
  const { endless, exits_0_with_unfinished, wrong_numbers } = result
  const broken = lost + paid_twice_received + torn + unexplained + conservation_errors + endless
  return broken + exits_0_with_unfinished + wrong_numbers > 0 || ambiguous > ambiguous_bound
}
