/**
 * The listing side, in a process of its own, made of the worker's own parts: source → ledger → queue, with the ceiling
 * on the backlog. argv: Redis url, an empty folder for a store, number of documents, source (`synthetic`, a folder or
 * `s3://bucket`), backlog limit. S3 is set as it is for a worker, by the environment.
 */
import { readFileSync } from 'node:fs'
import { loadSettings } from '#config/load.ts'
import { recipeBook } from '#src/contract/rules.ts'
import { Events } from '#src/events.ts'
import { sourceId } from '#src/document/ids.ts'
import { scanSource } from '#src/ingest/scan/scan-source.ts'
import { RedisLedger } from '#src/ledger/redis-ledger.ts'
import { openFolderStore } from '#src/outputs/folder/folder-store.ts'
import { connectRedis } from '#src/redis/connection.ts'
import { DocumentQueue } from '#src/queue/document-queue.ts'
import { openSource } from '#workers/open-source.ts'
import { parserPolicyOf } from '#workers/parser-policy.ts'
import { cpuMs } from '../pipeline/cpu-time.ts'
import { syntheticSource } from './synthetic-source.ts'
import { PIPELINE } from './pipeline.ts'
import { systemClock } from '#workers/system-clock.ts'

const EARLY = 100_000

const [redisUrl = '', out = '', count = '0', name = '', backlogLimit = ''] = process.argv.slice(2)
const loaded = loadSettings({ out, backlogLimit })
if (!loaded.ok) throw new Error(loaded.problems.join('\n'))
const { settings } = loaded
await using resources = new AsyncDisposableStack()
const connection = await connectRedis({ url: redisUrl })
resources.defer(() => connection.disconnect())
const store = await openFolderStore({ path: out })
const source =
  name === 'synthetic'
    ? syntheticSource(Number(count))
    : (await openSource(name, settings, { storeUrl: store.url, say: () => undefined }, resources)).source
const ledger = new RedisLedger({ connection, pipeline: PIPELINE })
const queue = new DocumentQueue({ connection, pipeline: PIPELINE })
resources.use(queue)
const events = new Events()
let seen = 0
let earlyPeakMb = Number.NaN
events.on('document:seen', () => {
  seen += 1
  if (seen === EARLY) earlyPeakMb = peakMb()
})
const recipeFor = recipeBook({})
const owner = { id: sourceId('bench'), address: source.url }
const parsers = parserPolicyOf(
  { parseApiUrl: undefined, acceptLocal: false, upgrade: false, rules: [], route: 'service', neverSend: [] },
  { isFormer: false, prefix: '' },
)
const ports = {
  source,
  owner,
  parsers,
  isOutdated: () => false,
  store,
  ledger,
  queue,
  events,
  recipeFor,
  textRecipeFor: () => null,
}
const stopping = new AbortController().signal
const patience = { halt: () => undefined, stopping, storePatienceMs: 0, storeSlowMs: 10_000 }
const deps = { ...ports, ...patience, clock: systemClock(Date.now), backlogLimit: settings.backlogLimit }
const cpuAtStart = cpuMs()
const startedAt = Date.now()
const startMs = Math.round(performance.now())
const { enqueued } = await scanSource(
  { ...deps, cutter: null, checksum: false, removeGone: false },
  new AbortController().signal,
)
const seconds = (Date.now() - startedAt) / 1000
const figures = {
  cpu_us_per_file: ((cpuMs() - cpuAtStart) * 1000) / seen,
  started_at: startedAt,
  start_ms: startMs,
  seconds,
  enqueued,
  peak_mb: peakMb(),
  early_peak_mb: earlyPeakMb,
}
process.stdout.write(`${JSON.stringify(figures)}\n`)

/** Most memory that this process was ever given. */
function peakMb(): number {
  return Number(/VmHWM:\s+(\d+)/.exec(readFileSync('/proc/self/status', 'utf8'))?.[1]) / 1024
}
