import type { ChildProcess } from 'node:child_process'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Redis } from 'ioredis'
import { spawnRedisServer } from './redis.ts'
import { endProcess } from './child.ts'
import { freePorts } from './free-port.ts'
import { tempFolder } from './temp-folder.ts'
import { until } from './wait.ts'

const DOWN_AFTER_MS = 500
const PASSWORD = 's3cret'

/** A master with a replica, and three Sentinels that watch them. */
export interface WatchedRedis extends AsyncDisposable {
  /** What goes into REDIS_URL. */
  readonly url: string
  /** Writes no longer reach the replica: what is written from now on is lost with the master. */
  cutReplica(): Promise<void>
  /** SIGKILL to the master; resolves when the Sentinels have made the replica the master. */
  failOver(): Promise<void>
}

export async function startWatchedRedis(): Promise<WatchedRedis> {
  const folder = await tempFolder()
  const [master = 0, replica = 0, ...sentinels] = await freePorts(5)
  const start = async (port: number, lines: readonly string[], ...more: readonly string[]): Promise<ChildProcess> => {
    const dir = join(folder.path, String(port))
    await mkdir(dir)
    const settings = [`port ${port}`, 'bind 127.0.0.1', `dir ${dir}`, ...lines]
    await writeFile(join(dir, 'redis.conf'), settings.join('\n') + '\n')
    return spawnRedisServer([join(dir, 'redis.conf'), ...more])
  }
  const server = ['save ""', `requirepass ${PASSWORD}`, `masterauth ${PASSWORD}`, 'maxmemory-policy noeviction']
  const watch = [
    `sentinel monitor sluice 127.0.0.1 ${master} 2`,
    `sentinel auth-pass sluice ${PASSWORD}`,
    `sentinel down-after-milliseconds sluice ${DOWN_AFTER_MS}`,
    'sentinel failover-timeout sluice 5000',
  ]
  const first = await start(master, server)
  const second = await start(replica, [...server, `replicaof 127.0.0.1 ${master}`])
  const client = new Redis({ host: '127.0.0.1', port: replica, password: PASSWORD, maxRetriesPerRequest: null })
  client.on('error', () => undefined)
  const role = (): Promise<string> => client.info('replication')
  await until('the replica follows', 15_000, async () => (await role()).includes('master_link_status:up'))
  const watchers = await Promise.all(sentinels.map((port) => start(port, watch, '--sentinel')))
  const asked = new Redis({ host: '127.0.0.1', port: sentinels[0] ?? 0 })
  asked.on('error', () => undefined)
  await until('the Sentinels know each other', 20_000, async () => {
    const known = String(await asked.call('SENTINEL', ['MASTER', 'sluice']))
    return known.includes('num-other-sentinels,2') && known.includes('num-slaves,1')
  })
  return {
    url: `redis+sentinel://:${PASSWORD}@${sentinels.map((port) => `127.0.0.1:${port}`).join(',')}/sluice`,
    cutReplica: async () => {
      await client.config('SET', 'masterauth', 'wrong')
      await client.call('CLIENT', ['KILL', 'TYPE', 'master'])
    },
    failOver: async () => {
      await endProcess(first)
      await until('the replica is the master', 30_000, async () => (await role()).includes('role:master'))
    },
    [Symbol.asyncDispose]: async () => {
      client.disconnect()
      asked.disconnect()
      await Promise.all([first, second, ...watchers].map((child) => endProcess(child)))
      await folder[Symbol.asyncDispose]()
    },
  }
}
