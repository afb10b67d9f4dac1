import { join } from 'node:path'
import { openStoreFiles } from '../faults/store-files.ts'
import { type Metrics, readMetrics } from '../faults/metrics-outside.ts'
import { readStoreOutside } from '../faults/store-outside.ts'
import type { Bundle } from '../support/bundled.ts'
import { temporaryFolder } from '../support/folder.ts'
import { freePort } from '../support/free-port.ts'
import { Random } from '../support/random.ts'
import type { TestRedis } from '../support/redis.ts'
import {
  errorReply,
  parsedReply,
  type ReceivedRequest,
  type Reply,
  ScriptedService,
} from '../support/scripted-service.ts'
import { type Finished, startSluice } from '../support/sluice.ts'
import { until } from '../support/wait.ts'
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
  ...(checksum ? ['--checksum'] : []),
  ...(redact ? ['--options', '{"redactPII":true}'] : []),
  ...(hidden ? ['--hidden'] : []),
  ...(exclude === null ? [] : ['--exclude', exclude]),
]

export interface NumbersReport {
  readonly seed: number
  readonly steps: readonly StepPlan[]
  /** One sentence each, with the number of its run. */
  readonly breaches: readonly string[]
}

export async function numbersRun(
  seed: number,
  { redis, program }: { readonly redis: TestRedis; readonly program: Bundle },
): Promise<NumbersReport> {
  const random = new Random(seed)
  await using folder = await temporaryFolder()
  await using service = await new ScriptedService({ answers: answer }).listen()
  await redis.connection.flushall()
  const source = new DrawnSource(join(folder.path, 'in'), random)
  await source.fill()
  const steps = stepsOf(random)
  const breaches: string[] = []
  const out = join(folder.path, 'out')
  let states = 0
  let hadPending = false
  const start = (command: string, ...flags: readonly string[]) =>
    startSluice([command, ...flags, '--state-dir', join(folder.path, `state-${(states += 1)}`), '--json'], {
      program: program.main,
      env: {
        REDIS_URL: redis.url,
        PARSE_API_URL: service.url,
        PARSE_API_KEY: `numbers-${seed}`,
        NODE_COMPILE_CACHE: program.compileCache,
      },
    })
  const inside = [source.path, '--out', out]
  for (const [number, step] of steps.entries()) {
    if (number > 0) await source.change()
    const flags = flagsOf(step)
    const charged = service.charged
    const requests = service.requests.length
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
    const store = await readStoreOutside(openStoreFiles({ kind: 'folder', path: out }))
    const leftOut = step.exclude === null ? null : LEFT_OUT[step.exclude]
    const counted = await source.count(step, leftOut)
    const reported: Reported = {
      ...reportedBy({ plan, ran, status, failures }),
      worker: worked === undefined ? null : { metrics: metrics as Metrics, documents: documentsIn(worked.stdout) },
      store,
      listed: counted.files,
      hadPending,
      mayHoldMore: counted.leftOut > 0,
      charged: { before: charged, after: service.charged },
      requests: service.requests.length - requests,
      again: rejectedAgain(service.requests.slice(requests)),
    }
    hadPending = (reported.status?.pending ?? 0) > 0
    breaches.push(...differences(step, reported).map((breach) => `run ${number + 1} ${flagText(step)}: ${breach}`))
  }
  const verified = await start('verify', '--out', out).finished
  if (verified.code !== 0) breaches.push(`verify: ${verified.stdout.slice(0, 600)}`)
  return { seed, steps, breaches }
}

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

function rejectedAgain(requests: readonly ReceivedRequest[]): number {
  const rejected = requests.flatMap(({ file }) => (isRejected(file) ? [file?.sha256] : []))
  return rejected.length - new Set(rejected).size
}

const isRejected = (file: ReceivedRequest['file']): boolean => file?.content?.toString().includes('REJECT') === true

function answer({ file }: ReceivedRequest): Reply {
  const text = file?.content?.toString() ?? ''
  if (isRejected(file)) return errorReply(422, 'this document cannot be parsed', { code: 'PARSE_FAILED' })
  const metadata = { statusCode: 200, creditsUsed: 1 }
  return parsedReply('# Parsed\n', { metadata, ...(text.includes('PARTIAL') ? { warning: 'a part is missing' } : {}) })
}

type Commands = Readonly<Record<'plan' | 'ran' | 'status' | 'failures', Finished>>

function reportedBy({
  plan,
  ran,
  status,
  failures,
}: Commands): Pick<Reported, 'plan' | 'run' | 'status' | 'failures' | 'exitCode' | 'documents' | 'stderr'> {
  const events = linesOf(ran.stdout)
  return {
    plan: linesOf(plan.stdout)[0] as never,
    run: events.find(({ event }) => event === 'summary') as never,
    status: linesOf(status.stdout)[0] as never,
    failures: linesOf(failures.stdout).map(({ key }) => String(key)),
    exitCode: ran.code,
    documents: documentsIn(ran.stdout),
    stderr: [plan, ran, status, failures]
      .map(({ stderr }) => stderr)
      .join('')
      .slice(-800),
  }
}

const documentsIn = (stdout: string): readonly string[] =>
  linesOf(stdout)
    .filter(({ event }) => event === 'document')
    .map(({ key }) => String(key))

const linesOf = (stdout: string): readonly Readonly<Record<string, unknown>>[] =>
  stdout.split('\n').flatMap((line) => (line.startsWith('{') ? [JSON.parse(line) as Record<string, unknown>] : []))
