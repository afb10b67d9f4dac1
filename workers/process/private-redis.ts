import { existsSync } from 'node:fs'
import { childEnvironment } from '#config/child-environment.ts'
import { proxiesOf } from '#config/proxies.ts'
import type { Settings } from '#config/settings.ts'
import { type EmbeddedRedis, openEmbeddedRedis } from '#src/redis/private-server/private-redis.ts'
import { foldersOf } from '../settings/location.ts'
import { sharePriority } from './scheduling-priority.ts'

export interface PrivateRedisOptions {
  /** Where it has its data; their folder is there, or `url` is called after it was made. */
  readonly settings: Settings
  /** Called with one line about what takes a moment. */
  readonly say: (line: string) => void
}

/** The redis-server of a process without REDIS_URL, started at the first use. Disposing ends it, and a start in flight. */
export interface PrivateRedis extends AsyncDisposable {
  /** Where it listens, once it answers. Each caller waits for as long as its signal lets it. */
  readonly url: (signal: AbortSignal) => Promise<string>
  /**
   * Starts it where it has data already, so that nothing new is made, and resolves when its process runs: it starts up
   * while this one loads the rest of the program. Imports no Redis client for the same reason.
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
    url: async (signal) => (await unlessAborted(begin(), signal)).url,
    warmUp: async () => {
      if (settings.redisUrl !== undefined || !existsSync(dataDir)) return
      // The first call that needs it reports why it cannot be opened.
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

async function unlessAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
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
