import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { loadSettings } from '#config/load.ts'
import { openPipeline } from '#workers/compose.ts'
import { recipeBook } from '#src/contract/rules.ts'
import { parseOptionsOf } from '#workers/parse-options.ts'
import { seen } from '#src/document/outcome.ts'
import { Events } from '#src/events.ts'
import { scanSource } from '#src/ingest/scan-source.ts'
import { BenchProcess } from './child-process.ts'
import { writeDocuments } from './documents-folder.ts'
import type { LimitedReport } from './limited/service-plan.ts'
import { measure, type Measured } from './measure.ts'
import { bestPerMs, type Regime } from './regimes.ts'
import { fairness } from './sim/simulate.ts'
import type { WorkerReport } from './worker-report.ts'

export interface BenchPlace {
  readonly redisUrl: string
  /** Emptied after each regime. */
  readonly folder: string
  readonly workers: number
  /** Documents under way in each worker. */
  readonly slots: number
}

export interface RegimeResult extends Measured {
  readonly name: string
  /** Documents that are neither done, nor waiting, nor poison that failed. */
  readonly lost: number
  /** Attempts used up by anything but an error of the service. */
  readonly attemptsBurnt: number
  readonly jain: number
  /** Attempts of each dead letter of a poison document. */
  readonly poisonAttempts: readonly number[]
  /** How often documents were taken from the queue for each request: more than once where the gate gave them back. */
  readonly startsPerRequest: number
  /** Milliseconds of processor that the workers took for each request. */
  readonly cpuMsPerRequest: number
  readonly errors: readonly string[]
}

/** Runs one regime from nothing: documents, queue, service, workers; and takes all of it away again. */
export async function runRegime(regime: Regime, place: BenchPlace): Promise<RegimeResult> {
  const { plan, windows, name, poisonPercent = 0 } = regime
  const source = join(place.folder, 'in')
  const out = join(place.folder, 'out')
  await using service = new BenchProcess('limited/serve-limits.ts', [JSON.stringify(plan)])
  const url = `http://127.0.0.1:${await service.line('listening')}`
  await writeDocuments(source, { count: documentsFor(regime), bytes: 300, poisonPercent })
  const env = {
    REDIS_URL: place.redisUrl,
    PARSE_API_URL: url,
    PARSE_API_KEY: 'bench',
    SLUICE_OUT: out,
    SLUICE_CONCURRENCY: `${place.slots}`,
    SLUICE_RATE_WINDOW_MS: `${plan.windowMs}`,
    SLUICE_LOG_LEVEL: 'silent',
    SLUICE_GRACE_MS: '2000',
  }
  const loaded = loadSettings({}, {}, env)
  if (!loaded.ok) throw new Error(loaded.problems.join('; '))
  const { settings } = loaded
  const events = new Events()
  await using pipeline = await openPipeline({ source, settings, events, say: () => undefined })
  const recipeFor = recipeBook({ options: parseOptionsOf(settings), rules: [] })
  await scanSource({ ...pipeline, recipeFor, now: Date.now, backlogLimit: 1_000_000 }, new AbortController().signal)

  await using workers = new Workers(source, place.workers, env)
  await workers.ready()
  await fetch(`${url}/begin`, { method: 'POST' })
  workers.begin()
  await sleep(windows * plan.windowMs)
  const report = (await (await fetch(`${url}/report`)).json()) as LimitedReport
  const reports = await workers.stop()

  const counts = await pipeline.ledger.counts()
  const poisonAttempts = []
  let failedOthers = 0
  for await (const letter of pipeline.store.listDeadLetters(new AbortController().signal)) {
    if (letter.key.startsWith('poison')) poisonAttempts.push(letter.attempts)
    else failedOthers += 1
  }
  await rm(place.folder, { recursive: true, force: true })
  return {
    ...measure(report, plan, regime.measure),
    name,
    lost: failedOthers + documentsFor(regime) - seen(counts),
    attemptsBurnt: plan.errors > 0 || poisonPercent > 0 ? 0 : reports.reduce((sum, one) => sum + one.counted, 0),
    jain: fairness(reports.map((one) => one.settled)),
    poisonAttempts,
    startsPerRequest: reports.reduce((sum, one) => sum + one.started, 0) / Math.max(report.requests.length, 1),
    cpuMsPerRequest: reports.reduce((sum, one) => sum + one.cpuMs, 0) / Math.max(report.requests.length, 1),
    errors: reports.flatMap((one) => one.errors),
  }
}

/** The workers of a regime, all begun at one moment. */
class Workers implements AsyncDisposable {
  readonly #processes: readonly BenchProcess[]

  constructor(source: string, count: number, env: Readonly<Record<string, string>>) {
    this.#processes = Array.from({ length: count }, () => new BenchProcess('worker-process.ts', [source], env))
  }

  async ready(): Promise<void> {
    await Promise.all(this.#processes.map((worker) => worker.line('ready')))
  }

  begin(): void {
    for (const worker of this.#processes) worker.say('begin')
  }

  async stop(): Promise<WorkerReport[]> {
    for (const worker of this.#processes) worker.kill('SIGTERM')
    const reports = await Promise.all(this.#processes.map((worker) => worker.line('report')))
    return reports.map((report) => JSON.parse(report) as WorkerReport)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.#processes.map((worker) => worker[Symbol.asyncDispose]()))
  }
}

/** A fifth more than can be done, so that no worker ever runs dry; poison shall all end. */
function documentsFor({ plan, windows, measure: how }: Regime): number {
  const { windowMs } = plan
  if (how.kind === 'poison') return 1_000
  const perMs = Math.max(bestPerMs(plan, false), bestPerMs(plan, true))
  return Math.ceil(1.2 * perMs * windows * windowMs) + 200
}
