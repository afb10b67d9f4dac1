import { rm } from 'node:fs/promises'
import { loadavg } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { openPipeline } from '#workers/compose.ts'
import { Events } from '#src/events.ts'
import { BenchProcess } from '../child-process.ts'
import { writeDocuments } from '../documents-folder.ts'
import { fairness } from '../sim/simulate.ts'
import { Workers } from '../workers.ts'
import { omniscient } from './baselines.ts'
import { draw, type Service } from './draw.ts'
import { controlLaw } from './law-policy.ts'
import { describe, excess, goodput, mean, policyTable, type Row, worstOf } from './report.ts'
import { runDrawn } from './run-drawn.ts'

/*
 * The draws of `bench -- simulator --random` as real processes over real HTTP, all times divided. A draw is passed over where an
 * omniscient client completes more documents than this machine sends, or where its times would have to be divided by
 * more than FACTOR_MOST: then waits of milliseconds, which the law does not divide, would be seconds of the drawn service.
 */

/** Of the drawn processes, as many as two cores carry beside the service and Redis. */
const MOST_PROCESSES = 4
const SLOTS = 50
const LEAST_MS = 20_000
const MOST_MS = 60_000
/** Documents a second that the workers and the service on this machine are sure to keep up with. */
const DOCUMENTS_PER_SECOND = 40
const FACTOR_MOST = 20
/** A request takes at least so long, beside which the way to Redis and back is short. */
const LEAST_SERVICE_MS = 100

interface Plan {
  readonly drawn: Service
  readonly best: number
  readonly lengthMs: number
  readonly factor: number
}

interface Outcome {
  readonly row: Row
  readonly jain: number
  readonly callsPerRequest: number
  readonly cpuMsPerRequest: number
  readonly startsPerRequest: number
  /** Of the law alone, in virtual time. */
  readonly simulated: number
}

export interface RealOptions {
  readonly draws: number
  readonly seed: number
  readonly redisUrl: string
  readonly folder: () => Promise<string>
}

export async function benchRandom(options: RealOptions): Promise<void> {
  const outcomes: Outcome[] = []
  let passedOver = 0
  for (let index = 0; outcomes.length < options.draws; index += 1) {
    const plan = planOf(draw(options.seed * 100_000 + index))
    if (plan === null) {
      passedOver += 1
      continue
    }
    const outcome = await runReal(plan, options)
    outcomes.push(outcome)
    const { row, jain, callsPerRequest, cpuMsPerRequest, startsPerRequest, simulated } = outcome
    const shown = [goodput(row), simulated, excess(row), jain, callsPerRequest, cpuMsPerRequest, startsPerRequest]
    const load = loadavg()[0]?.toFixed(0)
    console.error(
      `${outcomes.length} of ${options.draws}, load ${load}: ${shown.map((value) => value.toFixed(3)).join(' ')} ${describe(row.drawn)}`,
    )
  }
  const rows = outcomes.map(({ row }) => row)
  console.log(policyTable(new Map([['real processes', rows]])))
  console.log(worstOf(rows, 5))
  console.log(
    JSON.stringify({
      goodput_mean: mean(rows.map(goodput)),
      simulated_mean: mean(outcomes.map(({ simulated }) => simulated)),
      refused_mean: mean(rows.map(excess)),
      jain_mean: mean(outcomes.map(({ jain }) => jain)),
      calls_per_request: mean(outcomes.map(({ callsPerRequest }) => callsPerRequest)),
      cpu_ms_per_request: mean(outcomes.map(({ cpuMsPerRequest }) => cpuMsPerRequest)),
      starts_per_request: mean(outcomes.map(({ startsPerRequest }) => startsPerRequest)),
      passed_over: passedOver,
    }),
  )
}

/** Null where the draw is passed over. */
function planOf(service: Service): Plan | null {
  const processes = Math.min(service.processes, MOST_PROCESSES)
  const drawn = { ...service, processes, slots: processes * SLOTS }
  const best = runDrawn(drawn, omniscient(), true).done
  const { horizonMs, latency } = drawn
  const slowed = (horizonMs / latency.meanMs) * LEAST_SERVICE_MS
  const lengthMs = Math.max(LEAST_MS, (best / DOCUMENTS_PER_SECOND) * 1000, slowed)
  const factor = horizonMs / lengthMs
  return lengthMs > MOST_MS || factor > FACTOR_MOST ? null : { drawn, best, lengthMs, factor }
}

async function runReal({ drawn, best, lengthMs, factor }: Plan, options: RealOptions): Promise<Outcome> {
  const folder = await options.folder()
  const source = join(folder, 'in')
  await using service = new BenchProcess('random/serve-drawn.ts', [`${drawn.seed}`, `${factor}`])
  const url = `http://127.0.0.1:${await service.line('listening')}`
  await writeDocuments(source, { count: Math.ceil(1.2 * best) + drawn.slots, bytes: 300, poisonPercent: 0 })
  const env = {
    REDIS_URL: options.redisUrl,
    PARSE_API_URL: url,
    PARSE_API_KEY: `bench-${drawn.seed}`,
    SLUICE_OUT: join(folder, 'out'),
    SLUICE_CONCURRENCY: `${SLOTS}`,
    SLUICE_RATE_WINDOW_MS: `${Math.round(60_000 / factor)}`,
    SLUICE_LOG_LEVEL: 'silent',
    SLUICE_GRACE_MS: '2000',
  }
  await using workers = await Workers.start({ source, count: drawn.processes, env })
  await fetch(`${url}/begin`, { method: 'POST' })
  workers.begin()
  await sleep(lengthMs)
  const seen = (await (await fetch(`${url}/report`)).json()) as Omit<Row['result'], 'lost' | 'burnt'>
  const reports = await workers.stop()
  const lost = await deadLetters(source, workers)
  await rm(folder, { recursive: true, force: true })
  const each = (of: (report: (typeof reports)[number]) => number): number =>
    reports.reduce((sum, report) => sum + of(report), 0)
  const result = { ...seen, lost, burnt: each(({ counted }) => counted) }
  const sent = Math.max(seen.sent, 1)
  return {
    row: { drawn, best, result },
    jain: fairness(reports.map(({ done }) => done)),
    callsPerRequest: each(({ scriptCalls }) => scriptCalls) / sent,
    cpuMsPerRequest: each(({ cpuMs }) => cpuMs) / sent,
    startsPerRequest: each(({ started }) => started) / sent,
    simulated: runDrawn(drawn, controlLaw()).done / best,
  }
}

async function deadLetters(source: string, { settings }: Workers): Promise<number> {
  await using pipeline = await openPipeline({ source, settings, events: new Events(), say: () => undefined })
  let count = 0
  for await (const _ of pipeline.store.listDeadLetters(new AbortController().signal)) count += 1
  return count
}
