/**
 * npm run bench:enqueue -- [--files N] [--source folder|synthetic|s3] [--take bulk|jobs] [--backlog N]
 *
 * How fast can new documents be listed, compared with the ledger, written into it and enqueued? A process made of the
 * worker's own parts does that for N documents, with the ceiling on the backlog (20,000 jobs), while another one takes
 * the jobs. Each document gets its ledger entry and its job; none is done again, none left out (the exit code says so).
 *
 * With the ceiling, what enqueues can be no faster than what takes, and two cores cannot do a million documents' work at
 * the speed of a listing. Without the ceiling a million jobs would wait in Redis, at 580 bytes each: that is what it is
 * for. So the ceiling stays, and the taking is made cheap: with `--take bulk` that process is a real worker for the
 * first job only; what waits after that is removed in bulk, on the same two cores and the same Redis, which takes half
 * of `redis_cpu_us_per_file`. With `--take jobs` every job goes through BullMQ's worker and back, and that is what one
 * waits for.
 *
 * Last line: files_per_s, first_parse_ms (start of the listing to a worker having the first job), worker_rss_peak_mb
 * (the listing process), redis_mb_peak, ledger_bytes_per_doc (what Redis holds at the end, above what it held before;
 * the ledger's 32,768 hashes weigh in only when documents are few). The line before it: processor time of the listing
 * process and of Redis, which say more than files_per_s on a machine that is not idle, `start_ms` (start of the process
 * to start of the listing), and the memory after 100,000 documents.
 *
 * With `--source s3` a radosgw of its own is filled first, outside of the time that is measured: 1,000 objects a folder,
 * at 500 to 800 a second, and 20 KB of its memory each, so no more than the memory of the machine holds. One more line
 * reports how fast the source alone lists that bucket, and how fast a bare loop does: `ratio` is the first as a share of the
 * second.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { freemem, loadavg, tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { startTestRedis } from '../../test/support/redis.ts'
import { startS3Server } from '../../test/support/s3-server.ts'
import { waitListKey } from '#src/queue/queue-layout.ts'
import { makeFiles, makeObjects } from './make-documents.ts'
import { PIPELINE } from './pipeline.ts'

const { values } = parseArgs({
  options: {
    files: { type: 'string', default: '50000' },
    source: { type: 'string', default: 'folder' },
    take: { type: 'string', default: 'bulk' },
    backlog: { type: 'string', default: '20000' },
  },
})
const count = Number(values.files)
/** Half as much again as an object was seen to take. */
const OBJECT_BYTES = 30_000
if (!['folder', 'synthetic', 's3'].includes(values.source)) giveUp('--source is folder, synthetic or s3.')
const mostObjects = Math.floor(freemem() / OBJECT_BYTES)
if (values.source === 's3' && count > mostObjects) giveUp(`the memory of this machine holds ${mostObjects} objects.`)
const here = (name: string): string => join(import.meta.dirname, name)
const RUN_NODE = here('../../scripts/run-node.sh')

await using resources = new AsyncDisposableStack()
const folder = await mkdtemp(join(tmpdir(), 'sluice-enqueue-'))
resources.defer(() => rm(folder, { recursive: true, force: true }))
const redis = resources.use(await startTestRedis())
const source = await makeSource()
const before = await redisInfo()

const taker = start('take-jobs.ts', [redis.url, values.take], {})
await taker.line()
const out = join(folder, 'out')
// What Node makes of the .ts files is kept from then on, as in every start of a worker but the first.
await start('list-source.ts', [redis.url, out, '0', 'synthetic', values.backlog], {}).line()
const lister = start('list-source.ts', [redis.url, out, `${count}`, source.name, values.backlog], source.env)
const [{ first_at: firstAt = 0 }, listed] = await Promise.all([taker.line(), lister.line()])
while ((await redis.connection.llen(waitListKey(PIPELINE))) > 0) await sleep(20)
taker.stop()
await sleep(200)
const after = await redisInfo()
const { seconds = 0, started_at: startedAt = 0, enqueued, peak_mb: peakMb = 0 } = listed
console.log(
  JSON.stringify({
    ...values,
    enqueued,
    seconds,
    load: loadavg()[0],
    cpu_us_per_file: Math.round(listed['cpu_us_per_file'] ?? Number.NaN),
    redis_cpu_us_per_file: Math.round((after.cpuUs - before.cpuUs) / count),
    start_ms: listed['start_ms'],
    rss_peak_mb_at_100000: Math.round(listed['early_peak_mb'] ?? Number.NaN),
  }),
)
if (source.bucket !== undefined) {
  const compare = start('compare-listing.ts', [source.bucket, `${count}`], source.env)
  console.log(JSON.stringify({ puts_per_s: source.putsPerSecond, ...(await compare.line()) }))
}
console.log(
  JSON.stringify({
    files_per_s: Math.round(count / seconds),
    first_parse_ms: firstAt - startedAt,
    worker_rss_peak_mb: Math.round(peakMb),
    redis_mb_peak: Math.round(after.peak / 1024 / 1024),
    ledger_bytes_per_doc: Math.round((after.used - before.used) / count),
  }),
)
if (enqueued !== count) process.exitCode = 2

interface BenchSource {
  /** As the command line of a worker has it. */
  readonly name: string
  readonly env: Readonly<Record<string, string>>
  readonly bucket?: string
  readonly putsPerSecond?: number
}

async function makeSource(): Promise<BenchSource> {
  if (values.source === 'synthetic') return { name: 'synthetic', env: {} }
  if (values.source === 'folder') {
    const name = join(folder, 'in')
    makeFiles(name, count)
    return { name, env: {} }
  }
  const server = await startS3Server()
  if (server.kind === 'unavailable') {
    await resources.disposeAsync()
    return giveUp(`nothing was measured. ${server.reason}`)
  }
  resources.use(server)
  const bucket = 'enqueue'
  const putsPerSecond = await makeObjects(server, bucket, count)
  const { endpoint, accessKeyId, secretAccessKey } = server
  const env = { SLUICE_S3_ENDPOINT: endpoint, AWS_ACCESS_KEY_ID: accessKeyId, AWS_SECRET_ACCESS_KEY: secretAccessKey }
  return { name: `s3://${bucket}`, env, bucket, putsPerSecond }
}

function giveUp(reason: string): never {
  console.error(`bench:enqueue: ${reason}`)
  process.exit(1)
}

type Figures = Readonly<Record<string, number>>

/** A script with the flags of a worker. It says one JSON object a line, and ends with its standard input. */
function start(script: string, args: readonly string[], env: Readonly<Record<string, string>>) {
  const child = spawn('sh', [RUN_NODE, here(script), ...args], {
    stdio: ['pipe', 'pipe', 'inherit'],
    env: { ...process.env, ...env },
  })
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  const ended = once(child, 'exit').then(([code]) => {
    throw new Error(`${script} ended with ${String(code)}`)
  })
  ended.catch(() => undefined)
  return {
    async line(): Promise<Figures> {
      const next = await Promise.race([lines.next(), ended])
      return JSON.parse(String(next.value)) as Figures
    },
    stop: () => child.stdin.end(),
  }
}

async function redisInfo(): Promise<{ readonly used: number; readonly peak: number; readonly cpuUs: number }> {
  const info = (await redis.connection.info('memory')) + (await redis.connection.info('cpu'))
  const of = (name: string): number => Number(new RegExp(`${name}:([\\d.]+)`).exec(info)?.[1])
  const cpuUs = (of('used_cpu_user') + of('used_cpu_sys')) * 1e6
  return { used: of('used_memory'), peak: of('used_memory_peak'), cpuUs }
}
