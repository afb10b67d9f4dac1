import { randomUUID } from 'node:crypto'
import { mkdir } from 'node:fs/promises'
import pLimit, { type LimitFunction } from 'p-limit'
import type { Settings } from '#config/settings.ts'
import { RightOfWay } from '#src/ingest/right-of-way.ts'
import { connectRedis, type RedisConnection } from '#src/queue/connection.ts'
import { openEmbeddedRedis } from '#src/queue/embedded-redis.ts'
import { type Folders, foldersOf } from './folders.ts'
import { gateReadings } from './gate-readings.ts'
import { type Observer, openObserver } from './observe.ts'
import { budgetsOf, openRequests, type Requests } from './open-requests.ts'
import type { NoticesFor } from './s3-notices.ts'
import { openEngine, type Service, serviceOf } from './open-service.ts'

export interface SharedOptions {
  /** Those at the top of the settings file: what a pipeline has of its own does not count here. */
  readonly settings: Settings
  /** The settings file, for the engine to read as well. */
  readonly configFile: string | null
  /** Told in one line what takes a moment. */
  readonly say: (line: string) => void
}

/**
 * What the pipelines of one process have in common: Redis, the engine, the gates, the log and the metrics. Each is opened
 * when somebody first asks for it, and closed with this.
 */
export interface Shared extends AsyncDisposable {
  readonly folders: Folders
  /** Places for documents under way, of all pipelines together. */
  readonly places: LimitFunction
  readonly rightOfWay: RightOfWay
  readonly connection: () => Promise<RedisConnection>
  /** The way to the service that a pipeline's settings name. */
  readonly requests: (settings: Settings, pipeline: string) => Promise<Requests>
  readonly observer: () => Promise<Observer>
  readonly noticesFor: NoticesFor
}

export function openShared({ settings, configFile, say }: SharedOptions): Shared {
  const resources = new AsyncDisposableStack()
  const folders = foldersOf(settings)
  const run = randomUUID()
  const connection = once(() => openRedis(settings, folders, say, resources))
  const engine = once(() => openEngine(settings, folders, configFile, resources))
  const opened = new Map<string, Promise<Requests>>()
  const requestsFor: Shared['requests'] = (own, pipeline) => {
    const budgets = budgetsOf({ run, pipeline, own, all: settings })
    const { parseApiUrl, parseApiKey, rate, apiConcurrency } = own
    const open = async (): Promise<Requests> => {
      const service: Service = serviceOf(own) ?? (await engine())
      return openRequests({ settings: own, service, connection: await connection(), budgets }, resources)
    }
    const key = JSON.stringify([parseApiUrl, parseApiKey, rate, apiConcurrency, budgets])
    const requests = opened.get(key) ?? open()
    opened.set(key, requests)
    return requests
  }
  const observer = once(async () => {
    const redis = await connection()
    const readings = async () => gateReadings(await Promise.all(opened.values()))
    return resources.use(await openObserver({ settings, folders, readings, ping: () => redis.ping() }))
  })
  // Loaded only where a bucket is followed, as all of the AWS SDK.
  const notices = once(async () => (await import('./s3-notices.ts')).noticesFor(say, resources))
  const noticesFor: NoticesFor = async (own) => (await notices())(own)
  const places = pLimit(settings.concurrency)
  const dispose = () => resources.disposeAsync()
  const rightOfWay = new RightOfWay()
  const requests = requestsFor
  return { folders, places, rightOfWay, connection, requests, observer, noticesFor, [Symbol.asyncDispose]: dispose }
}

function once<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | null = null
  return () => (made ??= make())
}

async function openRedis(
  settings: Settings,
  folders: Folders,
  say: (line: string) => void,
  resources: AsyncDisposableStack,
): Promise<RedisConnection> {
  await mkdir(folders.state, { recursive: true })
  let url = settings.redisUrl
  if (url === undefined) {
    const dataDir = `${folders.state}/redis`
    const redis = await openEmbeddedRedis({ dataDir, cacheDir: folders.cache, notify: say })
    resources.defer(() => redis.close())
    url = redis.url
  }
  const connection = await connectRedis({ url, name: 'sluice' })
  resources.defer(() => connection.disconnect())
  return connection
}
