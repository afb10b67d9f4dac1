import { existsSync } from 'node:fs'
import { childEnvironment } from '#config/child-environment.ts'
import { proxiesOf } from '#config/proxies.ts'
import type { Settings } from '#config/settings.ts'
import { connectRedis, type RedisConnection } from '#src/queue/connection.ts'
import { openEmbeddedRedis } from '#src/queue/embedded-redis.ts'
import type { Folders } from './folders.ts'
import { madeFor } from './make-folder.ts'
import { sharePriority } from './scheduling-priority.ts'

export interface RedisOptions {
  readonly settings: Pick<Settings, 'redisUrl' | 'stateDir'>
  readonly folders: Folders
  /** Called with one line about what takes a moment. */
  readonly say: (line: string) => void
}

export interface SharedRedis {
  /** Opened at the first call. Each caller waits for as long as its signal lets it. */
  readonly connection: (signal: AbortSignal) => Promise<RedisConnection>
  /** Starts the private Redis while other things are made ready, where it has data already: nothing new is made. */
  readonly warmUp: () => void
}

/** The Redis of a process. Disposing of `resources` closes it, and ends an opening that is in flight. */
export function redisOf(options: RedisOptions, resources: AsyncDisposableStack): SharedRedis {
  const closing = new AbortController()
  let opening: Promise<Opened> | null = null
  const begin = (): Promise<Opened> => {
    if (opening !== null) return opening
    const opened = open(options, closing.signal)
    opening = opened
    resources.defer(async () => {
      closing.abort()
      const redis = await opened.catch(() => null)
      await redis?.close()
    })
    return opened
  }
  return {
    connection: async (signal) => (await unlessAborted(begin(), signal)).connection,
    warmUp: () => {
      // The first command that needs it reports why it cannot be opened.
      if (options.settings.redisUrl === undefined && existsSync(dataDirOf(options))) begin().catch(() => undefined)
    },
  }
}

interface Opened {
  readonly connection: RedisConnection
  readonly close: () => Promise<void>
}

const dataDirOf = ({ folders }: RedisOptions): string => `${folders.state}/redis`

async function open(options: RedisOptions, signal: AbortSignal): Promise<Opened> {
  const { settings, folders, say } = options
  await using resources = new AsyncDisposableStack()
  await madeFor(settings.stateDir === undefined ? '--out' : '--state-dir', folders.state)
  let url = settings.redisUrl
  if (url === undefined) {
    const env = childEnvironment({ web: false })
    const places = { dataDir: dataDirOf(options), cacheDir: folders.cache }
    const redis = await openEmbeddedRedis(
      { ...places, notify: say, env, proxies: proxiesOf(), onSpawn: sharePriority },
      signal,
    )
    resources.defer(() => redis.close())
    url = redis.url
  }
  const connection = await connectRedis({ url, name: 'sluice' }, signal)
  resources.defer(() => connection.disconnect())
  const kept = resources.move()
  return { connection, close: () => kept.disposeAsync() }
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
