import { writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { Plugin } from 'rolldown'
import { COMPILED, MAIN } from '../support/sluice.ts'
import { findPrometheus } from '../support/prometheus.ts'
import { type Breaches, isEmpty, LAWS, noBreaches } from './checker/laws.ts'
import { faultRun, type RunResult } from './fault-run.ts'
import { metricsRun } from './metrics/metrics-run.ts'
import { type Mutant, MUTANTS, type Patch } from './mutants.ts'
import { CREDITS } from './metrics/draw-run.ts'
import { numbersRun } from './numbers/numbers-run.ts'
import type { FaultKind } from './classes/index.ts'
import { type Plan, planOf, type Scenario } from './plan.ts'
import type { ServiceRun } from './service/charges.ts'
import { ChargingService } from './service/charging-service.ts'
import type { StoreAddress } from './checker/store-files.ts'
import { cutPower } from './power/cut-power.ts'
import { folderTarget, type Target } from './world/environment.ts'
import { bundle, type Program } from './world/program.ts'
import { FaultRedis } from './world/fault-redis.ts'

export interface CampaignOptions {
  readonly runs: number
  readonly seed: number
  readonly target: Target
  readonly sideBySide: number
  /** As in a plan. */
  readonly short: boolean
  /** Scenarios and kinds of faults to draw from; all of them when not given. */
  readonly scenarios?: readonly Scenario[] | undefined
  readonly faults?: readonly FaultKind[] | undefined
  /** Null for the program as it is. */
  readonly mutant: Mutant | null
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
  /** Sentences on what broke each law. */
  readonly breaches: Readonly<Record<keyof Breaches, number>>
  readonly ambiguous: number
  readonly ambiguousBound: number
  /** The longest time from a signal to the end of its process. */
  readonly longestStopMs: number
  /** How often each scenario was played, and each fault injected. */
  readonly scenarios: Readonly<Record<string, number>>
  readonly faults: Readonly<Record<string, number>>
}

/** What the runs of a campaign share; Redis is one run's at a time. */
interface Host {
  readonly redis: FaultRedis
  readonly programs: Programs
  readonly target: Target
  readonly signal: AbortSignal
}

export async function campaign(options: CampaignOptions): Promise<CampaignResult> {
  await using programs = new Programs(options)
  const played: (readonly [Plan, RunResult])[] = []
  let unjudged = 0
  let next = options.seed
  const found = new AbortController()
  const signal = AbortSignal.any([found.signal, ...(options.signal === undefined ? [] : [options.signal])])
  const slot = async (): Promise<void> => {
    await using redis = await FaultRedis.start()
    while (next < options.seed + options.runs && !signal.aborted) {
      const seed = next++
      const plan = planOf(seed, options)
      if (options.verbose) options.say(JSON.stringify(plan))
      const startedAt = Date.now()
      const { target } = options
      const result = await unlessAborted(play(plan, { redis, programs, target, signal }), signal)
      if (result === null) return
      if (result instanceof Error) {
        options.say(`seed ${seed} was not judged: ${result.message}`)
        unjudged += 1
        continue
      }
      played.push([plan, result])
      report(plan, result, Date.now() - startedAt, options.say)
      if (options.untilFound && !isEmpty(result.breaches)) found.abort()
    }
  }
  await Promise.all(Array.from({ length: options.sideBySide }, slot))
  return { ...sumOf(played), unjudged }
}

async function play(plan: Plan, { programs, redis, target, signal }: Host): Promise<RunResult> {
  const { seed, scenario } = plan
  if (scenario === 'power') return only('torn', await cutPower(seed))
  // Numbers are compared in folders: links and pipes are in no bucket.
  await using environment = await (scenario === 'numbers' ? folderTarget : target).open({ faultRate: 0, ...plan })
  await redis.connection.flushall()
  await using service = await ChargingService.open(serviceFor(plan, environment.store))
  const world = { environment, service, redis, program: await programs.of(plan), signal }
  if (scenario === 'numbers') return only('numbers', await numbersRun(seed, world))
  if ('documents' in plan) return await faultRun(plan, world)
  const found = await findPrometheus()
  if (typeof found === 'string') throw new Error(found)
  return only('numbers', await metricsRun(seed, world, found))
}

function serviceFor(plan: Plan, store: StoreAddress): ServiceRun {
  const { seed } = plan
  if ('documents' in plan) {
    const { faultRate, delayMs, bursts, routing, budget: prices } = plan
    return { seed, faultRate, delayMs, bursts, paged: routing !== null, prices, store }
  }
  const prices = { price: plan.scenario === 'metrics' ? CREDITS : 1, rises: [], emptyAfter: null }
  return { seed, faultRate: 0, delayMs: 1, bursts: [], paged: false, prices, store }
}

function only(law: keyof Breaches, sentences: readonly string[]): RunResult {
  const breaches = { ...noBreaches(), [law]: [...sentences] }
  return { breaches, ambiguous: 0, ambiguousBound: 0, requests: 0, longestStopMs: 0, faults: [], journal: null }
}

function report(plan: Plan, result: RunResult, tookMs: number, say: (line: string) => void): void {
  const { requests, faults, ambiguous, ambiguousBound, breaches, journal } = result
  const counted = `${requests} requests, ${ambiguous} of ${ambiguousBound} in doubt`
  say(`seed ${plan.seed}, ${plan.scenario}: ${requests > 0 ? `${counted}, ${faults.join(' ')}, ` : ''}${tookMs} ms`)
  for (const [law, sentences] of Object.entries(breaches)) {
    for (const sentence of sentences) say(`  seed ${plan.seed} ${law}: ${sentence}`)
  }
  if (journal !== null) say(`  seed ${plan.seed}: what happened is in ${journal}`)
}

const SCRIPTED_ENGINE = join(import.meta.dirname, 'processes/scripted-engine.ts')

/** The programs that runs start, each made when a run first needs it. */
class Programs implements AsyncDisposable {
  readonly #mutant: Mutant | null
  #plain: Promise<Program> | null = null
  #routed: Promise<Program> | null = null

  constructor({ mutant }: Pick<CampaignOptions, 'mutant'>) {
    this.#mutant = mutant
  }

  of({ scenario }: Plan): Promise<Program> {
    if (scenario === 'routed') return (this.#routed ??= this.#makeRouted())
    return (this.#plain ??= this.#makePlain())
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const made of [this.#plain, this.#routed]) await (await made)?.[Symbol.asyncDispose]()
  }

  /** The sources: only a mistake needs a bundle. */
  async #makePlain(): Promise<Program> {
    if (this.#mutant !== null) return bundle({ plugins: this.#plugins(), children: true })
    return { main: MAIN, compileCache: COMPILED, [Symbol.asyncDispose]: async () => undefined }
  }

  async #makeRouted(): Promise<Program> {
    const program = await bundle({ plugins: this.#plugins(), children: true })
    await writeFile(join(dirname(program.main), 'engine.js'), `import ${JSON.stringify(SCRIPTED_ENGINE)}\n`)
    return program
  }

  #plugins(): Plugin[] {
    return this.#mutant === null ? [] : [applyMutations(MUTANTS[this.#mutant])]
  }
}

/** Plants mistakes as the program is bundled. A text that is not there any more is an error: it would test nothing. */
function applyMutations(patches: readonly Patch[]): Plugin {
  const open = new Set(patches)
  return {
    name: 'planted mistakes',
    transform(code: string, id: string): string {
      let text = code
      for (const patch of patches.filter(([file]) => id.endsWith(file))) {
        const [file, from, to] = patch
        if (!text.includes(from)) throw new Error(`${file} has no ${JSON.stringify(from)}: mend this mutant`)
        text = text.replace(from, () => to)
        open.delete(patch)
      }
      return text
    },
    buildEnd(error?: Error): void {
      if (error === undefined && open.size > 0) throw new Error(`not in the program: ${[...open].join(', ')}`)
    },
  }
}

/** Null for what was cut off by the signal; an error where the campaign, not the program, failed. */
async function unlessAborted<T>(run: Promise<T>, signal: AbortSignal): Promise<T | Error | null> {
  try {
    return await run
  } catch (error) {
    return signal.aborted ? null : new Error(`the campaign itself failed: ${String(error)}`, { cause: error })
  }
}

function sumOf(played: readonly (readonly [Plan, RunResult])[]): Omit<CampaignResult, 'unjudged'> {
  const results = played.map(([, result]) => result)
  const sum = (of: (result: RunResult) => number): number => results.reduce((total, one) => total + of(one), 0)
  const laws = Object.keys(LAWS) as (keyof Breaches)[]
  return {
    runs: results.length,
    breaches: Object.fromEntries(
      laws.map((law) => [law, sum(({ breaches }) => breaches[law].length)]),
    ) as CampaignResult['breaches'],
    ambiguous: sum(({ ambiguous }) => ambiguous),
    ambiguousBound: sum(({ ambiguousBound }) => ambiguousBound),
    longestStopMs: Math.max(0, ...results.map(({ longestStopMs }) => longestStopMs)),
    scenarios: countsOf(played.map(([{ scenario }]) => scenario)),
    faults: countsOf(results.flatMap(({ faults }) => faults)),
  }
}

function countsOf(names: readonly string[]): Record<string, number> {
  const counts: Record<string, number> = {}
  for (const name of names.toSorted()) counts[name] = (counts[name] ?? 0) + 1
  return counts
}

/** Whether a law was broken. */
export const isBroken = ({ breaches, ambiguous, ambiguousBound }: CampaignResult): boolean =>
  Object.values(breaches).some((count) => count > 0) || ambiguous > ambiguousBound
