import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { openPipeline } from '#workers/compose.ts'
import { seen } from '#src/document/outcome.ts'
import { Events } from '#src/events.ts'
import { BenchProcess } from './child-process.ts'
import { writeDocuments } from './documents-folder.ts'
import type { LimitedReport } from './limited/service-plan.ts'
import { measure, type Measured } from './measure.ts'
import { documentsFor, type Regime } from './regimes.ts'
import { fairness } from './sim/simulate.ts'
import { Workers } from './workers.ts'

export interface BenchEnvironment {
  readonly redisUrl: string
  /** Emptied after each regime. */
  readonly folder: string
  readonly workers: number
  /** Documents in flight in each worker. */
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
  /** Documents that were begun, and so read, for each request; refused requests are sent again without another read. */
  readonly startsPerRequest: number
  /** Milliseconds of processor that the workers took for each request. */
  readonly cpuMsPerRequest: number
  readonly errors: readonly string[]
}

/** Runs one regime from nothing: documents, queue, service, workers; and takes all of it away again. */
export async function runRegime(regime: Regime, environment: BenchEnvironment): Promise<RegimeResult> {
  const { plan, windows, name, poisonPercent = 0 } = regime
  const source = join(environment.folder, 'in')
  const out = join(environment.folder, 'out')
  await using service = new BenchProcess('limited/serve-limits.ts', [JSON.stringify(plan)])
  const url = `http://127.0.0.1:${await service.line('listening')}`
  await writeDocuments(source, { count: documentsFor(regime), bytes: 300, poisonPercent })
  const env = {
    REDIS_URL: environment.redisUrl,
    PARSE_API_URL: url,
    PARSE_API_KEY: 'bench',
    SLUICE_OUT: out,
    SLUICE_CONCURRENCY: `${environment.slots}`,
    SLUICE_RATE_WINDOW_MS: `${plan.windowMs}`,
    SLUICE_LOG_LEVEL: 'silent',
    SLUICE_GRACE_MS: '2000',
  }
  await using workers = await Workers.start({ source, count: environment.workers, env })
  await fetch(`${url}/begin`, { method: 'POST' })
  workers.begin()
  await sleep(windows * plan.windowMs)
  const report = (await (await fetch(`${url}/report`)).json()) as LimitedReport
  const reports = await workers.stop()

  await using pipeline = await openPipeline({
    source,
    settings: workers.settings,
    events: new Events(),
    say: () => undefined,
  })
  const counts = await pipeline.ledger.counts()
  const poisonAttempts = []
  let failedOthers = 0
  for await (const letter of pipeline.store.listDeadLetters(new AbortController().signal)) {
    if (letter.key.startsWith('poison')) poisonAttempts.push(letter.attempts)
    else failedOthers += 1
  }
  await rm(environment.folder, { recursive: true, force: true })
  return {
    ...measure(report, plan, regime.measure),
    name,
    lost: failedOthers + documentsFor(regime) - seen(counts),
    attemptsBurnt: plan.errors > 0 || poisonPercent > 0 ? 0 : reports.reduce((sum, one) => sum + one.counted, 0),
    jain: fairness(reports.map((one) => one.done)),
    poisonAttempts,
    startsPerRequest: reports.reduce((sum, one) => sum + one.started, 0) / Math.max(report.requests.length, 1),
    cpuMsPerRequest: reports.reduce((sum, one) => sum + one.cpuMs, 0) / Math.max(report.requests.length, 1),
    errors: reports.flatMap((one) => one.errors),
  }
}
