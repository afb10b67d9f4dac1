import { join } from 'node:path'
import { openStoreFiles } from '../checker/store-files.ts'
import { type Metrics, readMetrics } from '../checker/metrics-outside.ts'
import { linesOf, reportOf } from '../checker/numbers.ts'
import { readStoreOutside } from '../checker/store-outside.ts'
import type { Charge } from '../service/charges.ts'
import { freePort } from '../../support/free-port.ts'
import { Random } from '../../support/random.ts'
import { type Finished, startSluice } from '../../support/sluice.ts'
import { until } from '../../support/wait.ts'
import type { World } from '../world/environment.ts'
import { differences, type Reported } from './compare-numbers.ts'
import { DrawnSource } from './draw-source.ts'

/*
 * A source at random, changed between two to four runs with other flags: what the plan says before, the run, `status`,
 * `failures` and the metrics of a worker beside the run, the store, the service's ledger and a count of the source by the
 * test have to be the same.
 */

/** What is drawn for one run. */
export interface StepPlan {
  readonly archives: boolean
  readonly passthrough: boolean
  readonly deleteGone: boolean
  readonly checksum: boolean
  readonly redact: boolean
  readonly hidden: boolean
  readonly exclude: (typeof EXCLUDES)[number] | null
  readonly cap: number | null
  /** A worker takes jobs beside the run, and its metrics are read. */
  readonly beside: boolean
}

const EXCLUDES = ['drop*', '*.csv', 'sub'] as const

/** Names of folders that a glob leaves out. */
const LEFT_OUT = { 'drop*': /^drop/, '*.csv': null, sub: /^sub$/ } as const

function stepsOf(random: Random): readonly StepPlan[] {
  return Array.from({ length: 2 + random.below(3) }, () => ({
    archives: random.chance(0.6),
    passthrough: random.chance(0.65),
    deleteGone: random.chance(0.35),
    checksum: random.chance(0.15),
    redact: random.chance(0.15),
    hidden: random.chance(0.15),
    exclude: random.chance(0.4) ? random.pick(EXCLUDES) : null,
    cap: random.chance(0.2) ? random.below(8) : null,
    beside: random.chance(0.3),
  }))
}

const flagsOf = ({ archives, passthrough, checksum, redact, hidden, exclude }: StepPlan): readonly string[] => [
  ...(archives ? ['--archives'] : []),
  ...(passthrough ? [] : ['--no-passthrough']),
  ...(checksum ? ['--detect-changes', 'content'] : []),
  ...(redact ? ['--options', '{"redactPII":true}'] : []),
  ...(hidden ? ['--hidden'] : []),
  ...(exclude === null ? [] : ['--exclude', exclude]),
]

/** One sentence for each breach, with the number of its run and its flags. */
export async function numbersRun(seed: number, world: World): Promise<readonly string[]> {
  const { environment, service, redis, program } = world
  const { out, state } = environment
  const random = new Random(seed)
  const id = `run-${seed}`
  const { store: address } = environment
  await using _ = {
    [Symbol.asyncDispose]: () => redis.close(line),
  }
  const line = redis.line()
  const source = new DrawnSource(environment.source, random)
  await source.fill()
  const breaches: string[] = []
  let states = 0
  let hadPending = false
  const start = (command: string, ...flags: readonly string[]) =>
    startSluice([command, ...flags, '--state-dir', join(state, String((states += 1))), '--json'], {
      program: program.main,
      env: {
        REDIS_URL: line.url,
        PARSE_API_URL: service.url,
        PARSE_API_KEY: id,
        NODE_COMPILE_CACHE: program.compileCache,
      },
    })
  const inside = [source.path, '--out', out]
  for (const [number, step] of stepsOf(random).entries()) {
    if (number > 0) await source.change()
    const flags = flagsOf(step)
    const before = service.charges
    const plan = await start('plan', ...inside, ...flags).finished
    const port = step.beside ? await freePort() : 0
    const worker = step.beside && number > 0 ? start('work', ...inside, ...flags, '--metrics-port', String(port)) : null
    if (worker !== null) await readMetrics(port)
    const ran = await start('run', ...inside, ...flags, ...runFlags(step)).finished
    const metrics = worker === null ? null : await metricsAtRest(port)
    worker?.child.kill('SIGTERM')
    const worked = await worker?.finished
    const status = await start('status', ...inside, ...flags).finished
    const failures = await start('failures', '--out', out, ...flags).finished
    const store = await readStoreOutside(openStoreFiles(address))
    const { charges } = service
    const came = charges.slice(before.length)
    const leftOut = step.exclude === null ? null : LEFT_OUT[step.exclude]
    const counted = await source.count(step, leftOut)
    const reported: Reported = {
      ...reportedBy({ plan, ran, status, failures }),
      worker:
        worked === undefined ? null : { metrics: metrics as Metrics, documents: reportOf(worked.stdout).documents },
      store,
      listed: counted.files,
      hadPending,
      mayHoldMore: counted.leftOut > 0,
      charged: { before: chargedIn(before), after: chargedIn(charges) },
      requests: came.length,
      again: rejectedAgain(came),
    }
    hadPending = (reported.status?.pending ?? 0) > 0
    breaches.push(...differences(step, reported).map((breach) => `run ${number + 1} ${flagText(step)}: ${breach}`))
  }
  const verified = await start('verify', '--out', out).finished
  if (verified.code !== 0) breaches.push(`verify: ${verified.stdout.slice(0, 600)}`)
  return breaches
}

/** Each at one credit. */
const chargedIn = (charges: readonly Charge[]): number => charges.filter(({ charged }) => charged).length

/** Metrics of a worker that has nothing in flight: a document that has ended is counted a moment later. */
async function metricsAtRest(port: number): Promise<Metrics> {
  let metrics = await readMetrics(port)
  await until('the worker has no document in flight', 60_000, async () => {
    metrics = await readMetrics(port)
    return metrics.value('sluice_documents_in_flight') === 0
  })
  return metrics
}

const flagText = (step: StepPlan): string => [...flagsOf(step), ...runFlags(step)].join(' ')

const runFlags = ({ deleteGone, cap }: StepPlan): readonly string[] => [
  '--gone-limit-percent',
  '100',
  ...(deleteGone ? ['--delete-gone'] : []),
  ...(cap === null ? [] : ['--max-credits', String(cap)]),
]

function rejectedAgain(charges: readonly Charge[]): number {
  const rejected = charges.filter(({ kind }) => kind === 'rejected').flatMap(({ units }) => units)
  return rejected.length - new Set(rejected).size
}

type Commands = Readonly<Record<'plan' | 'ran' | 'status' | 'failures', Finished>>

function reportedBy({
  plan,
  ran,
  status,
  failures,
}: Commands): Pick<Reported, 'plan' | 'run' | 'status' | 'failures' | 'exitCode' | 'documents' | 'stderr'> {
  const { summary, documents } = reportOf(ran.stdout)
  return {
    plan: linesOf(plan.stdout)[0] as never,
    run: (summary ?? undefined) as never,
    status: linesOf(status.stdout)[0] as never,
    failures: linesOf(failures.stdout).map(({ key }) => String(key)),
    exitCode: ran.code,
    documents,
    stderr: [plan, ran, status, failures]
      .map(({ stderr }) => stderr)
      .join('')
      .slice(-800),
  }
}
