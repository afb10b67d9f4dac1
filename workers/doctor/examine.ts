import { rename, rm, stat, statfs, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { Settings } from '#config/settings.ts'
import { describeSystemError } from '#src/document/describe-system-error.ts'
import { checkConverters as loadConverters } from '#src/engine/children/check-converters.ts'
import { connectRedis, type RedisConnection } from '#src/redis/connection.ts'
import { findRedisServer } from '#src/redis/private-server/server-binary.ts'
import { foldersOf } from '../folders.ts'
import { locationOf } from '../location.ts'
import { checkService } from './check-service.ts'
import { type DoctorFinding, ok, problem, warning } from './finding.ts'

/** Checks everything that a run needs, and changes nothing. */
export async function* examine(settings: Settings): AsyncGenerator<DoctorFinding> {
  yield* checkMachine()
  yield* await checkRedis(settings)
  yield* await checkStore(settings)
  yield* await checkService(settings)
  yield* await checkConverters()
}

const TESTED = ['linux x64', 'linux arm64']

function checkMachine(): DoctorFinding[] {
  const platform = `${process.platform} ${process.arch}`
  const summary = `Node ${process.versions.node} on ${platform}`
  if (TESTED.includes(platform)) return [ok('machine', summary)]
  return [
    warning('machine', summary, `Sluice is tested on ${TESTED.join(' and ')}; elsewhere install redis-server by hand`),
  ]
}

/** Whether the converters and their native parts load, and OCR has its data. */
async function checkConverters(): Promise<DoctorFinding[]> {
  try {
    await loadConverters()
    return [ok('converters', 'all load; OCR languages: eng, others when a page needs them')]
  } catch (error) {
    const message = error instanceof Error ? (error.message.split('\n')[0] ?? '') : String(error)
    return [problem('converters', message, 'install again: npm install (or npm ci) with optional packages')]
  }
}

const PATIENCE_MS = 5_000
const SLOW_MS = 20
const PINGS = 9

/** Version, persistence, eviction and latency of REDIS_URL; without one, whether a private server can be started. */
async function checkRedis(settings: Settings): Promise<DoctorFinding[]> {
  if (settings.redisUrl === undefined) return [await privateServer(settings)]
  try {
    const connection = await connectRedis({ url: settings.redisUrl, name: 'sluice doctor', patienceMs: PATIENCE_MS })
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
    return ok('redis', `a private Redis is started by ${command}`)
  } catch (error) {
    return problem('redis', messageOf(error), 'install redis-server, or set REDIS_URL')
  }
}

async function findings(connection: RedisConnection): Promise<DoctorFinding[]> {
  const info = await connection.info()
  const field = (name: string): string => new RegExp(`^${name}:(.*)$`, 'm').exec(info)?.[1]?.trim() ?? ''
  const version = field('redis_version')
  const [major = 0, minor = 0] = version.split('.').map(Number)
  const policy = field('maxmemory_policy')
  const latencyMs = await medianPingMs(connection)
  const latency = `${latencyMs.toFixed(1)} ms a command`
  return [
    major > 6 || (major === 6 && minor >= 2)
      ? ok('redis', `version ${version}`)
      : problem('redis', `version ${version}`, 'use Redis 6.2 or newer, or Valkey'),
    policy === 'noeviction' || policy === ''
      ? ok('redis', 'eviction: none')
      : problem('redis', `eviction: ${policy}`, 'set maxmemory-policy noeviction, or jobs are thrown away'),
    field('aof_enabled') === '1'
      ? ok('redis', 'persistence: append-only file')
      : warning('redis', 'persistence: no append-only file', 'set appendonly yes, or a restart has to read the store'),
    latencyMs <= SLOW_MS ? ok('redis', latency) : warning('redis', latency, 'run the workers closer to Redis'),
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

/** Whether the store of --out can be written, and has space. A folder that does not exist is not made. */
async function checkStore(settings: Settings): Promise<DoctorFinding[]> {
  try {
    const at = locationOf(settings.out)
    if (at.kind === 'folder') return await checkFolder(at.path)
    if (at.kind === 's3') return await (await import('./s3-check-store.ts')).checkBucket(at, settings)
    return [problem('store', `${settings.out} is a list of URLs`, 'give a folder or s3://bucket/prefix as --out')]
  } catch (error) {
    const message = describeSystemError(error) ?? (error instanceof Error ? error.message : String(error))
    return [problem('store', `${settings.out}: ${message}`, 'correct --out')]
  }
}

async function checkFolder(path: string): Promise<DoctorFinding[]> {
  const folder = await nearest(path)
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

async function nearest(path: string): Promise<string> {
  try {
    await stat(path)
    return path
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT' || dirname(path) === path) throw error
    return nearest(dirname(path))
  }
}
