import type { Settings } from '#config/settings.ts'
import { connectRedis, type RedisConnection } from '#src/redis/connection.ts'
import { findRedisServer } from '#src/redis/private-server/server-binary.ts'
import { foldersOf } from '../folders.ts'
import { type DoctorFinding, ok, problem, warning } from './finding.ts'

const PATIENCE_MS = 5_000
const SLOW_MS = 20
const PINGS = 9

/** Version, persistence, eviction and latency of REDIS_URL; without one, whether a private server can be started. */
export async function checkRedis(settings: Settings): Promise<DoctorFinding[]> {
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
