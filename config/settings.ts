import { isSentinel, sentinelAddress } from '#src/kit/sentinel-address.ts'
import { ENGINE_SETTINGS } from './engine-settings.ts'
import { NOTIFY_SETTINGS } from './notify-settings.ts'
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
  integer,
  withoutVersion,
  withVariables,
} from './setting.ts'
import { ROUTE_SETTINGS } from './route-settings.ts'
import { SERVICE_SETTINGS } from './service-settings.ts'
import { SITE_SETTINGS } from './site-settings.ts'
import { SOURCE_SETTINGS } from './source-settings.ts'
import { SPENDING_SETTINGS } from './spending-settings.ts'

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS

const pemFile = (doc: string) => optionalText({ doc, placeholder: 'file', scope: 'process', path: true })

/** Certificates for the service and for buckets. Proxies come from HTTP_PROXY, HTTPS_PROXY and NO_PROXY. */
const NETWORK_SETTINGS = {
  caFile: pemFile('PEM file of additional CA certificates, for service and buckets'),
  clientCert: pemFile('PEM file of the client certificate, for service and buckets'),
  clientKey: pemFile('PEM file of the private key of the client certificate'),
}

/**
 * True for the path of a unix socket, the address of Sentinels, or the nodes of a Redis Cluster: `host:7000,host:7001`.
 */
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
 * All settings, a row each. Precedence: flag (`--max-credits`), environment, settings file, the default here. `load.ts`
 * reads them; these rows generate the help of the flags.
 */
export const SETTINGS = withVariables({
  out: text({
    default: 'out',
    placeholder: 'folder or bucket',
    path: true,
    doc: 'output folder or s3://bucket/prefix',
    common: true,
  }),

  parseApiUrl: address({
    env: 'PARSE_API_URL',
    protocols: ['http', 'https'],
    example: 'https://parse.example.com',
    tidy: withoutVersion,
    doc: 'parse service',
    standard: 'the embedded engine',
    common: true,
  }),
  parseApiKey: optionalText({
    env: 'PARSE_API_KEY',
    placeholder: 'key',
    doc: 'API key of the parse service',
    common: true,
    secret: true,
  }),
  ...NETWORK_SETTINGS,
  redisUrl: address({
    env: 'REDIS_URL',
    protocols: ['redis', 'rediss'],
    example: 'redis://localhost:6379',
    also: isOtherRedis,
    scope: 'process',
    doc: 'Redis of the queue',
    standard: 'a private one',
    common: true,
    secret: 'login',
  }),

  ...PARSE_SETTINGS,
  ...ROUTE_SETTINGS,
  ...SERVICE_SETTINGS,
  ...NOTIFY_SETTINGS,
  ...SOURCE_SETTINGS,
  ...SITE_SETTINGS,
  ...SPENDING_SETTINGS,

  concurrency: integer({
    default: 50,
    min: 1,
    max: 1000,
    scope: 'process',
    doc: 'documents in flight in this process',
    common: true,
  }),
  answerMemoryMb: integer({
    default: 256,
    min: 1,
    max: 1_000_000,
    unit: 'MiB',
    scope: 'process',
    doc: 'maximum memory for answers; requests wait beyond it',
  }),
  rate: optionalNumber({ min: 0.01, max: 1e6, unit: 'requests a minute', doc: 'rate limit of the plan', common: true }),
  apiConcurrency: optionalNumber({
    min: 1,
    max: 1e6,
    unit: 'requests',
    doc: 'concurrency limit of the plan, over all processes',
  }),
  rateWindowMs: duration({
    default: 60_000,
    min: 100,
    max: HOUR_MS,
    scope: 'process',
    doc: 'window of the rate limit; change it in tests only',
  }),
  backlogLimit: integer({
    default: 20_000,
    min: 1,
    max: 10_000_000,
    doc: 'maximum jobs in the queue; the scan waits beyond it',
  }),
  deadlineMs: duration({
    default: 7 * DAY_MS,
    min: 1000,
    max: 365 * DAY_MS,
    doc: 'fail documents that wait in the queue for longer',
  }),
  graceMs: duration({
    default: 60_000,
    min: 0,
    max: HOUR_MS,
    scope: 'process',
    doc: 'time that requests in flight have after the first Ctrl-C',
  }),
  deleteGone: flag({ doc: 'delete outputs of documents gone from the source', common: true }),
  goneLimitPercent: integer({
    default: 25,
    min: 0,
    max: 100,
    unit: 'percent',
    doc: 'mass-deletion safety limit: delete nothing if more is gone',
  }),
  force: flag({ doc: 'ignore the mass-deletion safety limit' }),
  takeoverMs: duration({
    default: 10_000,
    min: 1000,
    max: HOUR_MS,
    scope: 'process',
    doc: 'heartbeat timeout, after which other workers take the documents of a process',
  }),
  storePatienceMs: duration({
    default: 600_000,
    min: 0,
    max: DAY_MS,
    doc: 'hold answers in memory for this long while the store fails',
  }),
  spool: optionalText({
    placeholder: 'folder',
    scope: 'process',
    path: true,
    doc: 'local folder for paid answers that the store cannot save',
    standard: '~/.local/state/sluice/spool',
  }),
  servicePatienceMs: duration({
    default: 600_000,
    min: 1_000,
    max: DAY_MS,
    doc: 'halt the run if the service does not answer for this long',
  }),

  stateDir: optionalText({
    placeholder: 'folder',
    scope: 'process',
    path: true,
    doc: 'folder for the private Redis and the log',
    standard: '.sluice in the output folder',
  }),
  cacheDir: optionalText({
    placeholder: 'folder',
    scope: 'process',
    path: true,
    doc: 'folder for downloaded programs and OCR data',
    standard: '~/.cache/sluice',
  }),
  ...ENGINE_SETTINGS,
  logLevel: choice({
    values: ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'],
    default: 'info',
    scope: 'process',
    doc: 'least severe level to log',
  }),
  logFile: optionalText({
    placeholder: 'file',
    scope: 'process',
    path: true,
    doc: 'log file, or - for standard error',
    standard: 'sluice.log in the state folder',
  }),
  metricsPort: integer({
    default: 0,
    min: 0,
    max: 65535,
    scope: 'process',
    doc: 'port of /metrics and /healthz',
    standard: 'none',
    common: true,
  }),
  metricsHost: text({
    default: '127.0.0.1',
    placeholder: 'address',
    scope: 'process',
    doc: 'listen address of the metrics port, which has no login',
  }),
})

export type SettingName = keyof typeof SETTINGS
export type Settings = {
  readonly [Name in SettingName]: (typeof SETTINGS)[Name] extends Setting<infer T> ? T : never
}
