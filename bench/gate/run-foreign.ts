import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { writeDocuments } from './documents-folder.ts'
import type { BenchEnvironment } from './run-regime.ts'
import { fairness } from './sim/simulate.ts'
import { Workers } from './workers.ts'

export interface ForeignService {
  readonly url: string
  readonly seconds: number
  /** Window of its rate limit. */
  readonly windowMs: number
}

export interface ForeignResult {
  readonly done_per_second: number
  readonly requests: number
  /** Share of the requests that the service refused with a 429. */
  readonly refused: number
  readonly failed: number
  readonly attempts_burnt: number
  readonly jain: number
}

/** More than any service can do in the time, we hope: a worker that runs dry would be slow for no fault of the gate. */
const DOCUMENTS = 20_000

/** The workers against a service that is not ours: what they saw of it. */
export async function runForeign(service: ForeignService, environment: BenchEnvironment): Promise<ForeignResult> {
  const source = join(environment.folder, 'in')
  await writeDocuments(source, { count: DOCUMENTS, bytes: 300, poisonPercent: 0 })
  const env = {
    REDIS_URL: environment.redisUrl,
    PARSE_API_URL: service.url,
    PARSE_API_KEY: 'bench',
    SLUICE_OUT: join(environment.folder, 'out'),
    SLUICE_CONCURRENCY: `${environment.slots}`,
    SLUICE_RATE_WINDOW_MS: `${service.windowMs}`,
    SLUICE_LOG_LEVEL: 'silent',
    SLUICE_GRACE_MS: '2000',
  }
  await using workers = await Workers.start({ source, count: environment.workers, env })
  workers.begin()
  await sleep(service.seconds * 1000)
  const reports = await workers.stop()
  await rm(environment.folder, { recursive: true, force: true })
  const sum = (field: 'done' | 'failed' | 'sent' | 'refused' | 'counted'): number =>
    reports.reduce((total, report) => total + report[field], 0)
  return {
    done_per_second: sum('done') / service.seconds,
    requests: sum('sent'),
    refused: sum('refused') / Math.max(sum('sent'), 1),
    failed: sum('failed'),
    attempts_burnt: sum('counted'),
    jain: fairness(reports.map(({ done }) => done)),
  }
}
