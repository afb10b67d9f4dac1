import { rename, rm, stat, statfs, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { proxyFor } from '#config/proxies.ts'
import { redactLogin } from '#config/secrets.ts'
import type { Settings } from '#config/settings.ts'
import { describeSystemError } from '#src/kit/describe-system-error.ts'
import { SetupError } from '#src/document/setup-error.ts'
import { checkConverters as loadConverters, runsLineModels } from '@sluice/engine'
import { askService, type ServiceProbe } from '#src/parse/ask-service.ts'
import { authorizationOf, type ServiceConnection } from '#src/parse/service-connection.ts'
import { connectRedis, type RedisConnection } from '#src/redis/connection.ts'
import { findRedisServer } from '#src/redis/private-server/server-binary.ts'
import { serviceConnectionOf } from '../service/account.ts'
import { foldersOf, locationOf } from '../settings/location.ts'
import { type DoctorFinding, ok, problem, warning } from './finding.ts'

/** Checks all dependencies of a run. Changes nothing. */
export async function* examine(settings: Settings): AsyncGenerator<DoctorFinding> {
  yield* checkMachine()
  yield* await checkRedis(settings)
  yield* await checkStore(settings)
  yield* await checkService(settings)
  yield* await checkConverters(settings)
}

const TESTED = ['linux x64', 'linux arm64']

function checkMachine(): DoctorFinding[] {
  const platform = `${process.platform} ${process.arch}`
  const summary = `Node ${process.versions.node} on ${platform}`
  if (TESTED.includes(platform)) return [ok('machine', summary)]
  return [
    warning(
      'machine',
      summary,
      `Sluice is tested on ${TESTED.join(' and ')} only; on this platform install redis-server by hand`,
    ),
  ]
}

const TESSERACT_ALONE = warning(
  'converters',
  'Tesseract alone reads scans: ONNX Runtime cannot be loaded on this platform',
  'use Linux with glibc or macOS on arm64, and install with optional packages',
)

/**
 * Checks that the converters and their native parts load, and that OCR has its data. With a service the engine is
 * optional.
 */
async function checkConverters(settings: Settings): Promise<DoctorFinding[]> {
  try {
    await loadConverters()
    const loaded = ok(
      'converters',
      'all converters load; OCR has eng, and downloads other languages when a page needs them',
    )
    return (await runsLineModels()) ? [loaded, ok('converters', 'PP-OCRv4 reads scans')] : [loaded, TESSERACT_ALONE]
  } catch (error) {
    const message = error instanceof Error ? (error.message.split('\n')[0] ?? '') : String(error)
    if (lineOf(settings) !== null)
      return [
        warning('converters', message, 'install again with optional packages if this machine is to convert pages'),
      ]
    return [problem('converters', message, 'install again: npm install (or npm ci) with optional packages')]
  }
}

const REDIS_PATIENCE_MS = 5_000
const SLOW_MS = 20
const PINGS = 9

/**
 * Checks version, persistence, eviction and latency of REDIS_URL. Without REDIS_URL it checks that a private server can
 * start.
 */
async function checkRedis(settings: Settings): Promise<DoctorFinding[]> {
  if (settings.redisUrl === undefined) return [await privateServer(settings)]
  try {
    const connection = await connectRedis({
      url: settings.redisUrl,
      name: 'sluice doctor',
      patienceMs: REDIS_PATIENCE_MS,
    })
    try {
      return await findings(connection)
    } finally {
      connection.disconnect()
    }
  } catch (error) {
    return [problem('redis', messageOf(error), 'start Redis, or correct REDIS_URL')]
  }
}

async function privateServer(settings: Settings): Promise<DoctorFinding> {
  try {
    const { command } = await findRedisServer({ cacheDir: foldersOf(settings).cache }, AbortSignal.timeout(120_000))
    return ok('redis', `${command} can start a private Redis`)
  } catch (error) {
    return problem('redis', messageOf(error), 'install redis-server, or set REDIS_URL to a running Redis')
  }
}

async function findings(connection: RedisConnection): Promise<DoctorFinding[]> {
  const info = await connection.info()
  const field = (name: string): string => new RegExp(`^${name}:(.*)$`, 'm').exec(info)?.[1]?.trim() ?? ''
  const version = field('redis_version')
  const [major = 0, minor = 0] = version.split('.').map(Number)
  const policy = field('maxmemory_policy')
  const latencyMs = await medianPingMs(connection)
  const latency = `${latencyMs.toFixed(1)} ms per command`
  return [
    major > 6 || (major === 6 && minor >= 2)
      ? ok('redis', `version ${version}`)
      : problem('redis', `version ${version}`, 'use Redis 6.2 or newer, or Valkey'),
    policy === 'noeviction' || policy === ''
      ? ok('redis', 'eviction: none')
      : problem('redis', `eviction: ${policy}`, 'set maxmemory-policy noeviction: an eviction deletes jobs'),
    field('aof_enabled') === '1'
      ? ok('redis', 'persistence: append-only file')
      : warning(
          'redis',
          'persistence: no append-only file',
          'set appendonly yes: without it a restart of Redis makes Sluice read the store again',
        ),
    latencyMs <= SLOW_MS ? ok('redis', latency) : warning('redis', latency, 'run the workers in the network of Redis'),
  ]
}

async function medianPingMs(connection: RedisConnection): Promise<number> {
  const times: number[] = []
  for (let ping = 0; ping < PINGS; ping += 1) {
    const began = performance.now()
    await connection.ping()
    times.push(performance.now() - began)
  }
  return times.toSorted((a, b) => a - b)[Math.floor(PINGS / 2)] ?? 0
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))

const GIBIBYTE = 1024 ** 3

/** Checks that the store of --out is writable and has space. Does not make a missing folder. */
async function checkStore(settings: Settings): Promise<DoctorFinding[]> {
  try {
    const at = locationOf(settings.out)
    if (at.kind === 'folder') return await checkFolder(at.path)
    if (at.kind === 's3') return await (await import('./s3-check-store.ts')).checkBucket(at, settings)
    return [
      problem(
        'store',
        `--out ${settings.out} is a list of URLs, not a store`,
        'set --out to a folder or s3://bucket/prefix',
      ),
    ]
  } catch (error) {
    const message = describeSystemError(error) ?? messageOf(error)
    return [problem('store', `${settings.out}: ${message}`, 'correct --out')]
  }
}

async function checkFolder(path: string): Promise<DoctorFinding[]> {
  const folder = await nearestExisting(path)
  const probe = join(folder, `.sluice-doctor-${process.pid}`)
  await writeFile(probe, 'probe', { flush: true })
  await rename(probe, `${probe}.renamed`)
  await rm(`${probe}.renamed`)
  const { bavail, bsize } = await statfs(folder)
  const free = `${((bavail * bsize) / GIBIBYTE).toFixed(1)} GiB free`
  return [
    ok('store', folder === path ? `${path} can be written` : `${path} does not exist yet; ${folder} can be written`),
    bavail * bsize >= GIBIBYTE ? ok('store', free) : warning('store', free, 'free disk space before a large run'),
  ]
}

async function nearestExisting(path: string): Promise<string> {
  try {
    await stat(path)
    return path
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT' || dirname(path) === path) throw error
    return nearestExisting(dirname(path))
  }
}

const SERVICE_PATIENCE_MS = 10_000
const SKEW_MS = 60_000

/**
 * Checks that the service of PARSE_API_URL answers, accepts the key, and agrees on the time. Parses nothing; costs
 * nothing.
 */
async function checkService(settings: Settings): Promise<DoctorFinding[]> {
  const { parseApiUrl: url = '' } = settings
  const line = lineOf(settings)
  if (line === null) return [ok('service', 'none set: the embedded engine parses on this machine, without an account')]
  if ('subject' in line) return [line]
  const headers = authorizationOf(line)
  const address = new URL(`${line.baseUrl}/v2/team/credit-usage`)
  try {
    const answer = await askService(address, { ...headers }, line.network, AbortSignal.timeout(SERVICE_PATIENCE_MS))
    return [
      serviceAnswered(url, answer.status),
      ...aboutProxy(address),
      ...aboutKey(answer, headers.authorization !== undefined),
      ...aboutClock(answer),
    ]
  } catch (error) {
    const proxy = proxyFor(address)
    const by = proxy === null ? '' : ` through the proxy ${redactLogin(proxy)}`
    const remedy = `check PARSE_API_URL, the network${proxy === null ? '' : ', HTTP_PROXY, HTTPS_PROXY and NO_PROXY'}`
    return [problem('service', `${redactLogin(url)} cannot be reached${by} (${causeOf(error)})`, remedy)]
  }
}

/** Two ways to log in are a mistake in the settings. A run refuses them with the same message. */
function lineOf(settings: Settings): ServiceConnection | DoctorFinding | null {
  try {
    return serviceConnectionOf(settings)
  } catch (error) {
    if (error instanceof SetupError) return problem('service', error.message, 'remove one of the two')
    throw error
  }
}

const serviceAnswered = (url: string, status: number): DoctorFinding =>
  status >= 500
    ? warning('service', `${redactLogin(url)} answers ${status}`, 'try again later, or ask the operator of the service')
    : ok('service', `${redactLogin(url)} answers`)

/** A service without accounts has no such address: `run` sends its requests with or without a key. */
function aboutKey(answer: ServiceProbe, hasKey: boolean): DoctorFinding[] {
  if (answer.status === 401 || answer.status === 403) {
    return [
      hasKey
        ? problem('service', `the service refuses the API key (${answer.status})`, 'set PARSE_API_KEY to a valid key')
        : problem('service', `the service asks for an API key (${answer.status})`, 'set PARSE_API_KEY'),
    ]
  }
  if (answer.status === 404 || answer.status === 405) {
    return [warning('service', 'key and credits not checked: the service has no /v2/team/credit-usage')]
  }
  if (answer.status !== 200) {
    return [warning('service', `key and credits not checked: /v2/team/credit-usage answers ${answer.status}`)]
  }
  if (/^\s*</.test(answer.text)) {
    return [
      warning(
        'service',
        'the service answers with an HTML page instead of JSON',
        'check PARSE_API_URL, and log in if a proxy of the network asks for it',
      ),
    ]
  }
  const body = parsed(answer.text) as { data?: { remainingCredits?: unknown } } | null
  const credits = body?.data?.remainingCredits
  if (typeof credits !== 'number') {
    return [warning('service', 'credits not checked: /v2/team/credit-usage does not report them')]
  }
  return [credits > 0 ? ok('service', `${credits} credits left`) : problem('service', 'no credits left', 'buy credits')]
}

function aboutClock({ date }: ServiceProbe): DoctorFinding[] {
  const skewMs = Math.abs(Date.parse(date ?? '') - Date.now())
  if (!(skewMs > SKEW_MS)) return []
  return [
    warning(
      'service',
      `the clocks of this machine and the service differ by ${Math.round(skewMs / 1000)} s`,
      'set the clock of this machine (NTP)',
    ),
  ]
}

function aboutProxy(address: URL): DoctorFinding[] {
  const proxy = proxyFor(address)
  return proxy === null ? [] : [ok('service', `requests go through the proxy ${redactLogin(proxy)}`)]
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}

function causeOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const { code } = error as NodeJS.ErrnoException
  const { message } = error.cause instanceof Error ? error.cause : error
  return message === '' ? (code ?? error.name) : message
}
