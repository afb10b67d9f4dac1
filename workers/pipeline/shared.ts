import { randomUUID } from 'node:crypto'
import pLimit, { type LimitFunction } from 'p-limit'
import type { Settings } from '#config/settings.ts'
import { AnswerMemory } from '#src/kit/answer-memory.ts'
import { Events } from '#src/events.ts'
import { RequestPriority } from '#src/ingest/document/request-priority.ts'
import type { Budget } from '#src/ledger/account-spending.ts'
import { type OutageNotice, outageNotices } from '#src/observe/outage-text.ts'
import type { RedisConnection } from '#src/redis/connection.ts'
import { watchRedis } from '#src/redis/watch-redis.ts'
import { type Folders, foldersOf } from '../settings/location.ts'
import type { Observer } from '../open/observe.ts'
import type { Requests } from '../service/open-requests.ts'
import type { NoticesFor } from '../open/s3-notices.ts'
import { makeFolderOf } from '../settings/setting-errors.ts'
import { type PrivateRedis, privateRedis } from '../process/private-redis.ts'
import type { Service } from '../service/open-service.ts'

export interface SharedOptions {
  /** Top-level settings; overrides of a pipeline do not apply. */
  readonly settings: Settings
  /** Called with one line before a slow step. */
  readonly say: (line: string) => void
  /** A server that has already started; a new one by default. */
  readonly redis?: PrivateRedis
}

/**
 * Resources that the pipelines of one process share: Redis, the engine, the gates, the log and the metrics. Each opens
 * at its first use, and closes with this.
 */
export interface Shared extends AsyncDisposable {
  readonly folders: Folders
  /** Semaphore over the documents in flight, of all pipelines together. */
  readonly slots: LimitFunction
  readonly requestPriority: RequestPriority
  readonly answerMemory: AnswerMemory
  /**
   * Budgets that all pipelines share. A pipeline's cap belongs to its queue, and also applies to workers on other
   * machines.
   */
  readonly budgets: readonly Budget[]
  readonly connection: (signal: AbortSignal) => Promise<RedisConnection>
  /** The client and gate of the service in a pipeline's settings. */
  readonly requests: (settings: Settings, signal: AbortSignal) => Promise<Requests>
  /** Events of the programs that all pipelines share. */
  readonly events: Events
  readonly observer: () => Promise<Observer>
  /** Unavailable dependencies, with reasons. */
  readonly outages: () => readonly OutageNotice[]
  readonly noticesFor: NoticesFor
}

export function openShared({ settings, say, redis: begun }: SharedOptions): Shared {
  const resources = new AsyncDisposableStack()
  const ownRedis = resources.use(begun ?? privateRedis({ settings, say }))
  const folders = foldersOf(settings)
  const connection = once((signal) => openRedis({ settings, folders, redis: ownRedis }, resources, signal))
  const events = new Events()
  let engine: Service | null = null
  const opened = new Map<string, Promise<Requests>>()
  const requestsFor: Shared['requests'] = (own, signal) => {
    const { parseApiUrl, parseApiKey, rate, apiConcurrency } = own
    // Loaded only if a request may be sent.
    const open = async (): Promise<Requests> => {
      const { openEngine, serviceOf } = await import('../service/open-service.ts')
      const { openRequests } = await import('../service/open-requests.ts')
      const service: Service = serviceOf(own) ?? (engine ??= openEngine({ settings, folders, events }, resources))
      return openRequests({ settings: own, service, connection: await connection(signal) }, resources)
    }
    const key = JSON.stringify([parseApiUrl, parseApiKey, rate, apiConcurrency])
    const requests = opened.get(key) ?? open()
    opened.set(key, requests)
    return requests
  }
  let monitor: Observer['monitor'] | null = null
  const observer = lazily(async () => {
    const redis = await connection(new AbortController().signal)
    const { openObserver } = await import('../open/observe.ts')
    const { gateReadings } = await import('../service/gate-readings.ts')
    const readings = async () => gateReadings(await Promise.all(opened.values()), settings)
    const observed = resources.use(await openObserver({ settings, folders, readings, say, shared: events }))
    resources.use(
      watchRedis(redis, {
        onFailed: (cause) => events.emit('dependency:failed', { dependency: 'redis', cause }),
        onWorks: () => events.emit('dependency:works', { dependency: 'redis' }),
      }),
    )
    monitor = observed.monitor
    return observed
  })
  // Loaded only for a followed bucket, like all of the AWS SDK.
  const notices = lazily(async () => (await import('../open/s3-notices.ts')).noticesFor(say, resources))
  const noticesFor: NoticesFor = async (own) => (await notices())(own)
  const slots = pLimit(settings.concurrency)
  const dispose = () => resources.disposeAsync()
  const requestPriority = new RequestPriority()
  const answerMemory = new AnswerMemory(settings.answerMemoryMb * 1024 * 1024)
  const outages = (): readonly OutageNotice[] => (monitor === null ? [] : outageNotices(monitor))
  const common = {
    folders,
    slots,
    requestPriority,
    answerMemory,
    budgets: budgetsOf(settings),
    connection,
    events,
    observer,
    noticesFor,
    outages,
  }
  return { ...common, requests: requestsFor, [Symbol.asyncDispose]: dispose }
}

/** Each process with `--max-credits` is a separate run, even if it resumes earlier work. */
function budgetsOf({ maxCredits, monthlyCredits }: Settings): readonly Budget[] {
  const monthly: Budget = { per: 'month', limitCredits: monthlyCredits ?? null }
  return maxCredits === undefined ? [monthly] : [{ per: 'run', run: randomUUID(), limitCredits: maxCredits }, monthly]
}

/** Creates a value at the first call, whose signal also limits the wait. */
function once<T>(make: (signal: AbortSignal) => Promise<T>): (signal: AbortSignal) => Promise<T> {
  let made: Promise<T> | null = null
  return (signal) => (made ??= make(signal))
}

const lazily = <T>(make: () => Promise<T>): (() => Promise<T>) => {
  const made = once(make)
  return () => made(new AbortController().signal)
}

interface RedisOptions extends Pick<SharedOptions, 'settings'> {
  readonly folders: Folders
  readonly redis: PrivateRedis
}

async function openRedis(
  { settings, folders, redis }: RedisOptions,
  resources: AsyncDisposableStack,
  signal: AbortSignal,
): Promise<RedisConnection> {
  await makeFolderOf(settings.stateDir === undefined ? '--out' : '--state-dir', folders.state)
  const url = settings.redisUrl ?? (await redis.url(signal))
  // A command that reads a store alone loads no Redis client.
  const { connectRedis } = await import('#src/redis/connection.ts')
  const connection = await connectRedis({ url, name: 'sluice', isRestarted: settings.redisUrl === undefined }, signal)
  resources.defer(() => connection.disconnect())
  return connection
}
