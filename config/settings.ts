import { isSentinel, sentinelAddress } from '#src/document/sentinel-address.ts'
import { CONTEXT_SETTINGS } from './context-settings.ts'
import { ENGINE_SETTINGS } from './engine-settings.ts'
import { NETWORK_SETTINGS } from './network-settings.ts'
import { PARSE_SETTINGS } from './parse-settings.ts'
import {
  address,
  choice,
  duration,
  flag,
  optionalNumber,
  optionalText,
  type Setting,
  text,
  whole,
  withoutVersion,
} from './setting.ts'
import { ROUTE_SETTINGS } from './route-settings.ts'
import { SERVICE_SETTINGS } from './service-settings.ts'
import { SITE_SETTINGS } from './site-settings.ts'
import { SOURCE_SETTINGS } from './source-settings.ts'
import { SPENDING_SETTINGS } from './spending-settings.ts'

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS

/** The path of a unix socket, what Sentinels watch, or the nodes of a Redis Cluster: `host:7000,host:7001`. */
function isOtherRedis(given: string): boolean {
  if (given.startsWith('/')) return true
  if (isSentinel(given)) return sentinelAddress(given) !== null
  const nodes = given.split(',').map((node) => node.trim())
  return (
    nodes.length > 1 &&
    nodes.every((node) => node !== '' && URL.canParse(node.includes('://') ? node : `redis://${node}`))
  )
}

/**
 * Everything that can be set: one row a setting. A value comes from a flag (`--max-credits`), else the environment,
 * else the settings file, else the default here. `load.ts` reads them; the flags' help is made from these rows.
 */
export const SETTINGS = {
  out: text({
    env: 'SLUICE_OUT',
    default: 'out',
    placeholder: 'folder or bucket',
    path: true,
    doc: 'output store: a folder or s3://bucket/prefix',
  }),

  parseApiUrl: address({
    env: 'PARSE_API_URL',
    protocols: ['http', 'https'],
    example: 'https://parse.example.com',
    tidy: withoutVersion,
    doc: 'base address of the parse service; without it the embedded engine is started',
  }),
  parseApiKey: optionalText({
    env: 'PARSE_API_KEY',
    placeholder: 'key',
    doc: 'key of the parse service',
    secret: true,
  }),
  ...NETWORK_SETTINGS,
  redisUrl: address({
    env: 'REDIS_URL',
    protocols: ['redis', 'rediss'],
    example: 'redis://localhost:6379',
    also: isOtherRedis,
    scope: 'process',
    doc: 'Redis of the queue; without it a private redis-server is started',
    secret: 'login',
  }),

  ...PARSE_SETTINGS,
  ...ROUTE_SETTINGS,
  ...SERVICE_SETTINGS,
  ...SOURCE_SETTINGS,
  ...SITE_SETTINGS,
  ...SPENDING_SETTINGS,
  ...CONTEXT_SETTINGS,

  concurrency: whole({
    env: 'SLUICE_CONCURRENCY',
    default: 50,
    min: 1,
    max: 1000,
    scope: 'process',
    doc: 'documents in flight in this process; the gate decides how many requests that makes',
  }),
  answerMemoryMb: whole({
    env: 'SLUICE_ANSWER_MEMORY_MB',
    default: 256,
    min: 1,
    max: 1_000_000,
    unit: 'MiB',
    scope: 'process',
    doc: 'backpressure: limit for all answers in the memory of this process; further ones wait on their connections',
  }),
  rate: optionalNumber({
    env: 'SLUICE_RATE',
    min: 0.01,
    max: 1e6,
    unit: 'requests a minute',
    doc: 'known rate limit of the plan: a ceiling, still corrected by refusals',
  }),
  apiConcurrency: optionalNumber({
    env: 'SLUICE_API_CONCURRENCY',
    min: 1,
    max: 1e6,
    unit: 'requests',
    doc: 'known concurrency limit of the plan, all processes together: a ceiling, still corrected by refusals',
  }),
  rateWindowMs: duration({
    env: 'SLUICE_RATE_WINDOW_MS',
    default: 60_000,
    min: 100,
    max: HOUR_MS,
    scope: 'process',
    doc: 'window of the rate limit; another than a minute is for tests against a service with compressed time',
  }),
  backlogLimit: whole({
    env: 'SLUICE_BACKLOG_LIMIT',
    default: 20_000,
    min: 1,
    max: 10_000_000,
    unit: 'jobs',
    doc: 'most jobs that wait in Redis',
  }),
  deadlineMs: duration({
    env: 'SLUICE_DEADLINE_MS',
    default: 7 * DAY_MS,
    min: 1000,
    max: 365 * DAY_MS,
    doc: 'fail a document that has waited for longer',
  }),
  graceMs: duration({
    env: 'SLUICE_GRACE_MS',
    default: 60_000,
    min: 0,
    max: HOUR_MS,
    scope: 'process',
    doc: 'after the first Ctrl-C, work in flight may take this long',
  }),
  deleteGone: flag({
    env: 'SLUICE_DELETE_GONE',
    default: false,
    doc: 'remove the outputs of documents that are no longer in the source (default: keep them)',
  }),
  goneLimitPercent: whole({
    env: 'SLUICE_GONE_LIMIT_PERCENT',
    default: 25,
    min: 0,
    max: 100,
    unit: 'percent',
    doc: 'mass-deletion safety limit: if a larger share of the archive is missing, or of the receipts unused (gc), something is not mounted: delete nothing',
  }),
  force: flag({
    env: 'SLUICE_FORCE',
    default: false,
    doc: 'bypass the mass-deletion safety limit',
  }),
  takeoverMs: duration({
    env: 'SLUICE_TAKEOVER_MS',
    default: 10_000,
    min: 1000,
    max: HOUR_MS,
    scope: 'process',
    doc: 'heartbeat timeout: after this long without a heartbeat a process is considered dead and its documents are reassigned',
  }),
  storePatienceMs: duration({
    env: 'SLUICE_STORE_PATIENCE_MS',
    default: 600_000,
    min: 0,
    max: DAY_MS,
    doc: 'how long answers are held in memory while the store cannot be written',
  }),
  spool: optionalText({
    env: 'SLUICE_SPOOL',
    placeholder: 'folder',
    scope: 'process',
    path: true,
    doc: 'folder for paid answers that the store did not accept, until it does (default: ~/.local/state/sluice/spool)',
  }),
  storeSlowMs: duration({
    env: 'SLUICE_STORE_SLOW_MS',
    default: 10_000,
    min: 100,
    max: HOUR_MS,
    doc: 'a write to the store that takes longer is reported as an outage',
  }),
  servicePatienceMs: duration({
    env: 'SLUICE_SERVICE_PATIENCE_MS',
    default: 600_000,
    min: 1_000,
    max: DAY_MS,
    doc: 'halt a run whose service has given no answer at all for this long',
  }),

  receiptMinAgeMs: duration({
    env: 'SLUICE_RECEIPT_MIN_AGE_MS',
    default: DAY_MS,
    min: 0,
    max: 365 * DAY_MS,
    doc: 'receipts saved or used since are never removed: a worker may be about to refer to them',
  }),

  journalMb: whole({
    env: 'SLUICE_JOURNAL_MB',
    default: 32,
    min: 0,
    max: 1024,
    doc: 'size of a segment of the journal, by which writes to a store in a folder share their flushes; 0: each file is flushed by itself',
  }),
  journalDelayMs: duration({
    env: 'SLUICE_JOURNAL_DELAY_MS',
    default: 4,
    min: 0,
    max: 1000,
    doc: 'how long a write waits for others to be flushed with it, while several are in flight',
  }),

  stateDir: optionalText({
    env: 'SLUICE_STATE_DIR',
    placeholder: 'folder',
    scope: 'process',
    path: true,
    doc: 'folder for the data of the private Redis and for the log (default: .sluice in the output folder)',
  }),
  cacheDir: optionalText({
    env: 'SLUICE_CACHE_DIR',
    placeholder: 'folder',
    scope: 'process',
    path: true,
    doc: 'where fetched programs and OCR data are kept (default: ~/.cache/sluice)',
  }),
  ...ENGINE_SETTINGS,
  logLevel: choice({
    env: 'SLUICE_LOG_LEVEL',
    values: ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'],
    default: 'info',
    scope: 'process',
    doc: 'how much is written to the log',
  }),
  logFile: optionalText({
    env: 'SLUICE_LOG_FILE',
    placeholder: 'file',
    scope: 'process',
    path: true,
    doc: 'where the log goes (default: sluice.log in the state folder; "-" for standard error, where messages are lines of it then)',
  }),
  metricsPort: whole({
    env: 'SLUICE_METRICS_PORT',
    default: 0,
    min: 0,
    max: 65535,
    scope: 'process',
    doc: 'port for /metrics, /healthz and /readyz; 0 for none',
  }),
  metricsHost: text({
    env: 'SLUICE_METRICS_HOST',
    default: '127.0.0.1',
    placeholder: 'address',
    scope: 'process',
    doc: 'address that the metrics port listens on; anything but loopback is open to the network',
  }),
} as const satisfies Record<string, Setting<unknown>>

export type SettingName = keyof typeof SETTINGS
export type Settings = {
  readonly [Name in SettingName]: (typeof SETTINGS)[Name] extends Setting<infer T> ? T : never
}
