import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { connectRedis, type RedisConnection } from '#src/redis/connection.ts'
import { openEmbeddedRedis } from '#src/redis/private-server/private-redis.ts'
import { findRedisServer } from '#src/redis/private-server/server-binary.ts'

/** Where a redis-server that had to be fetched is kept between runs of the tests. */
export const REDIS_CACHE_DIR = resolve(import.meta.dirname, '../../node_modules/.cache/sluice')

/** A real redis-server of one test file, with a connection to it. */
export interface TestRedis extends AsyncDisposable {
  readonly url: string
  readonly dataDir: string
  readonly connection: RedisConnection
  /** SIGKILL to the server process; it is started again on its data by itself. */
  killServer(): Promise<void>
}

export async function startTestRedis(): Promise<TestRedis> {
  const dataDir = await mkdtemp(join(tmpdir(), 'sluice-test-redis-'))
  const server = await openEmbeddedRedis({ dataDir, cacheDir: REDIS_CACHE_DIR })
  const connection = await connectRedis({ url: server.url })
  return {
    url: server.url,
    dataDir,
    connection,
    killServer: async () => {
      process.kill(await serverPid(connection), 'SIGKILL')
    },
    [Symbol.asyncDispose]: async () => {
      connection.disconnect()
      await server[Symbol.asyncDispose]()
      await rm(dataDir, { recursive: true, force: true })
      await rm(dirname(server.url), { recursive: true, force: true })
    },
  }
}

/** A redis-server without a guard, for servers that watch each other or that a test restarts. */
export async function spawnRedisServer(args: readonly string[]): Promise<ChildProcess> {
  const { command, libraries } = await findRedisServer({ cacheDir: REDIS_CACHE_DIR })
  const env = { ...process.env, ...(libraries === '' ? {} : { LD_LIBRARY_PATH: libraries }) }
  return spawn(command, args, { stdio: 'ignore', env })
}

export async function serverPid(connection: RedisConnection): Promise<number> {
  const info = await connection.info('server')
  return Number(/process_id:(\d+)/.exec(info)?.[1])
}

/** How often clients have asked for one of these commands, in lower case. */
export async function callsOf(connection: RedisConnection, ...commands: readonly string[]): Promise<number> {
  const stats = await connection.info('commandstats')
  return commands
    .map((command) => Number(new RegExp(`^cmdstat_${command}:calls=(\\d+)`, 'm').exec(stats)?.[1] ?? 0))
    .reduce((sum, calls) => sum + calls, 0)
}
