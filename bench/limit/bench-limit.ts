import { mkdtemp, rm } from 'node:fs/promises'
import { availableParallelism, tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import Table from 'cli-table3'
import { startTestRedis } from '../../test/support/redis.ts'
import { BenchProcess } from '../gate/child-process.ts'
import { writeDocuments } from '../gate/documents-folder.ts'
import type { LimitedPlan, LimitedReport } from '../gate/limited/service-plan.ts'
import { Workers } from '../gate/workers.ts'

/*
 * npm run bench:limit -- [--files N] [--processes N]
 *
 * Files of 20 KB, read and written, against a service that works on 20 requests at a time and takes 100 ms for each:
 * the upper bound is 200 documents per second. Each client's result is a share of it, measured while as many documents
 * are left as places: a refused document whose `Retry-After` outlasts all others says nothing about speed.
 * The bare loop measures the upper bound of the machine. The last line is JSON.
 */

const { values } = parseArgs({
  options: {
    files: { type: 'string', default: '1000' },
    processes: { type: 'string', default: `${Math.min(4, availableParallelism())}` },
  },
})
const PLACES = 20
const SERVICE_MS = 100
const WARM_UP_MS = 5_000
const PLAN: LimitedPlan = {
  windowMs: 60_000,
  window: 'fixed',
  rate: 1_000_000,
  places: PLACES,
  whenFull: 'reject',
  retryAfter: 'exact',
  serviceMs: SERVICE_MS,
  spread: 0,
  errors: 0,
  change: null,
  outage: null,
  credits: null,
}

interface Run {
  readonly client: string
  readonly share: number
  readonly lost: number
  readonly requests: number
}

const files = Number(values.files)
const processes = Number(values.processes)
const folder = await mkdtemp(join(tmpdir(), 'sluice-bench-limit-'))
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1))
await using redis = await startTestRedis()
const source = join(folder, 'in')
await writeDocuments(source, { count: files, bytes: 20_000, poisonPercent: 0 })
const more = join(folder, 'more')
await writeDocuments(more, { count: 3 * files, bytes: 20_000, poisonPercent: 0 })

const stated = await sluice('stated', source, files, PLACES, 0)
// Enough documents that some are left after the warm-up of five seconds.
const unstated = await sluice('unstated', more, 3 * files, null, WARM_UP_MS)
const sdk = await other('SDK and p-limit(20)', ['limit/sdk-client.ts'], PLACES)
const sdkOver = await other('SDK and p-limit(50)', ['limit/sdk-client.ts'], 50)
const bullmq = await other('plain BullMQ, concurrency 20', ['limit/bullmq-client.ts'], PLACES)
const bare = await other('a bare loop, 20 at a time', ['limit/bare-client.ts'], PLACES)
await rm(folder, { recursive: true, force: true })

const table = new Table({ head: ['client', 'of what is possible', 'lost', 'requests'] })
for (const run of [stated, unstated, sdk, sdkOver, bullmq, bare]) {
  table.push([run.client, run.share.toFixed(3), run.lost, run.requests])
}
console.log(table.toString())
console.log(
  JSON.stringify({
    stated: round(stated.share),
    unstated: round(unstated.share),
    sdk: round(sdk.share),
    bullmq: round(bullmq.share),
    bare: round(bare.share),
    sdk_lost: sdkOver.lost,
    lost: stated.lost + unstated.lost,
  }),
)

/** The real worker; `fromMs` excludes the warm-up, in which it learns the limits that no setting states. */
async function sluice(
  name: string,
  folderIn: string,
  count: number,
  limit: number | null,
  fromMs: number,
): Promise<Run> {
  await using service = await startService()
  const env = {
    REDIS_URL: redis.url,
    PARSE_API_URL: service.url,
    PARSE_API_KEY: 'bench',
    SLUICE_OUT: join(folder, `out-${name}`),
    SLUICE_LOG_LEVEL: 'silent',
    ...(limit === null ? {} : { SLUICE_API_CONCURRENCY: `${limit}` }),
  }
  await using workers = await Workers.start({ source: folderIn, count: processes, env })
  workers.begin()
  const report = await service.until((requests) => requests.filter(({ status }) => status === 200).length >= count)
  const ended = await workers.stop()
  const lost = count - ended.reduce((sum, one) => sum + one.done, 0)
  return { client: `Sluice, ${name}, ${processes} processes`, ...share(report, fromMs), lost }
}

async function other(client: string, [script = '']: readonly string[], atOnce: number): Promise<Run> {
  await using service = await startService()
  const out = join(folder, `out-${client.replaceAll(/\W+/g, '-')}`)
  await using run = new BenchProcess(`../${script}`, [service.url, source, out, `${atOnce}`, redis.url])
  const lost = Number(await run.line('lost'))
  return { client, ...share(await service.until(() => true), 0), lost }
}

interface Service extends AsyncDisposable {
  readonly url: string
  until(enough: (requests: LimitedReport['requests']) => boolean): Promise<LimitedReport>
}

async function startService(): Promise<Service> {
  const child = new BenchProcess('limited/serve-limits.ts', [JSON.stringify(PLAN)])
  const url = `http://127.0.0.1:${await child.line('listening')}`
  return {
    url,
    until: async (enough) => {
      const deadline = Date.now() + 300_000
      for (;;) {
        const report = (await (await fetch(`${url}/report`)).json()) as LimitedReport
        if (enough(report.requests) || Date.now() > deadline) return report
        await sleep(500)
      }
    },
    [Symbol.asyncDispose]: () => child[Symbol.asyncDispose](),
  }
}

/** From the first request, or `fromMs` after it, until fewer documents are left than there are places. */
function share({ requests }: LimitedReport, fromMs: number): Pick<Run, 'share' | 'requests'> {
  const start = Math.min(...requests.map(({ from }) => from)) + fromMs
  const ends = requests.filter(({ status }) => status === 200).map(({ to }) => to)
  const busy = ends.sort((a, b) => a - b).slice(0, -PLACES)
  const perMs = busy.filter((to) => to >= start).length / ((busy.at(-1) ?? Number.NaN) - start)
  return { share: perMs / (PLACES / SERVICE_MS), requests: requests.length }
}

function round(value: number): number {
  return Math.round(value * 1000) / 1000
}
