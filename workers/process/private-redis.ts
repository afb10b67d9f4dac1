import { existsSync } from 'node:fs'
import { childEnvironment } from '#config/child-environment.ts'
import { proxiesOf } from '#config/proxies.ts'
import type { Settings } from '#config/settings.ts'
import { type EmbeddedRedis, openEmbeddedRedis } from '#src/redis/private-server/private-redis.ts'
import { foldersOf } from '../settings/location.ts'
import { sharePriority } from './scheduling-priority.ts'

export interface PrivateRedisOptions {
  /** Names the data folder. The folder exists, or `url` is called after its creation. */
  readonly settings: Settings
  /** Called with one line before a slow step. */
  readonly say: (line: string) => void
}

/**
 * The redis-server of a process without REDIS_URL, started at the first use. Disposal ends it, also during its start.
 */
export interface PrivateRedis extends AsyncDisposable {
  /** Address, once the server answers. The signal limits each caller's wait. */
  readonly url: (signal: AbortSignal) => Promise<string>
  /**
   * Starts the server if it already has data, so it creates nothing new. Resolves when the process runs: it starts
   * while this process loads the rest of the program. Imports no Redis client for the same reason.
   */
  readonly warmUp: () => Promise<void>
}

export function privateRedis({ settings, say }: PrivateRedisOptions): PrivateRedis {
  const folders = foldersOf(settings)
  const dataDir = `${folders.state}/redis`
  const closing = new AbortController()
  const spawned = Promise.withResolvers<void>()
  let starting: Promise<EmbeddedRedis> | null = null
  const start = (): Promise<EmbeddedRedis> => {
    const onSpawn = (pid: number | undefined): void => {
      void sharePriority(pid)
      spawned.resolve()
    }
    const local = { dataDir, cacheDir: folders.cache, notify: say, onSpawn }
    return openEmbeddedRedis({ ...local, env: childEnvironment({ web: false }), proxies: proxiesOf() }, closing.signal)
  }
  const begin = (): Promise<EmbeddedRedis> => (starting ??= start())
  return {
    url: async (signal) => (await rejectOnAbort(begin(), signal)).url,
    warmUp: async () => {
      if (settings.redisUrl !== undefined || !existsSync(dataDir)) return
      // The first call that needs the server reports the failed start.
      begin().then(
        () => spawned.resolve(),
        () => spawned.resolve(),
      )
      await spawned.promise
    },
    async [Symbol.asyncDispose]() {
      closing.abort()
      const redis = await starting?.catch(() => null)
      await redis?.[Symbol.asyncDispose]()
    },
  }
}

async function rejectOnAbort<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  signal.throwIfAborted()
  const aborted = Promise.withResolvers<never>()
  const abort = (): void => aborted.reject(signal.reason)
  signal.addEventListener('abort', abort, { once: true })
  try {
    return await Promise.race([promise, aborted.promise])
  } finally {
    signal.removeEventListener('abort', abort)
  }
}
