import { ProcessLease } from '#src/ledger/process-lease.ts'
import { type Intent, RedisIntents } from '#src/ledger/redis-intents.ts'
import { RedisActivity } from '#src/ledger/redis-activity.ts'
import { RedisLastRun } from '#src/ledger/redis-last-run.ts'
import { RedisOutages } from '#src/ledger/redis-outages.ts'
import { RedisLedger } from '#src/ledger/redis-ledger.ts'
import type { RedisConnection } from '#src/redis/connection.ts'
import { DocumentQueue } from '#src/queue/document-queue.ts'
import { sharedClock } from '#src/redis/shared-clock.ts'
import { watchWithPrefix, withPrefix } from '#src/sources/prefixed-source.ts'
import { notifyWhileSlow } from '#src/kit/notify-while-slow.ts'
import { parserPolicyOf } from '../settings/parser-policy.ts'
import { ListingPurchases } from '../open/listing-purchases.ts'
import { type Identity, openIdentity, type Purpose, refuseRemoved } from '../open/open-identity.ts'
import { identifyCustomSource, openCustomSource, customPolicy } from './custom-ports.ts'
import { openStore } from '../open/open-store.ts'
import { refuseKeyless, refuseServices } from '../settings/service-names.ts'
import { openShared } from './shared.ts'
import type { Pipeline, PipelineOptions } from './pipeline.ts'

/** A pipeline with the parts that its worker needs. */
export interface Opened extends Pipeline {
  readonly identity: Identity
  readonly purchases: ListingPurchases
  readonly resources: AsyncDisposableStack
}

/** Turns settings into ports; nothing else does. For commands that read and do not parse. */
export async function openPipeline(options: PipelineOptions): Promise<Pipeline> {
  return openFor({ ...options, mustExist: true }, 'read', new AbortController().signal)
}

/** Threshold of a slow write to the store, and of a slow start. */
export const STORE_SLOW_MS = 10_000

/** Opens store, source, Redis and identity for the purpose of a command. */
export async function openFor(options: PipelineOptions, purpose: Purpose, signal: AbortSignal): Promise<Opened> {
  const { source: name, settings, events, say, mustExist = false, custom = {} } = options
  refuseServices(settings)
  if (purpose === 'plan') refuseKeyless(settings)
  await using resources = new AsyncDisposableStack()
  const shared = options.shared ?? resources.use(openShared({ settings, say }))
  let isConnected = true
  const connected = async (): Promise<RedisConnection> => {
    isConnected = false
    return shared.connection(signal).finally(() => (isConnected = true))
  }
  const beforeMaking = async (url: string, isMade: () => boolean): Promise<void> =>
    refuseRemoved(url, isMade, await connected(), settings)
  const answered = <T>(what: 'store' | 'source', work: Promise<T>): Promise<T> =>
    reportSlowOpen(work, {
      what: () => (isConnected ? `the ${what}` : 'Redis'),
      say,
      afterMs: STORE_SLOW_MS,
    })
  const opening = custom.store ?? openStore(settings, resources, { mustExist, beforeMaking })
  const store = await answered('store', Promise.resolve(opening))
  const purchases = new ListingPurchases()
  const buying = purpose === 'ingest' ? { purchases } : {}
  const around = { storeUrl: store.url, say, noticesFor: shared.noticesFor, ...buying }
  const opened = await answered('source', openCustomSource(custom, name, settings, around, resources))
  const candidate = await answered('source', identifyCustomSource(custom, name, opened.source.url, settings))
  const connection = await answered('store', connected())
  const identity = await answered('store', openIdentity({ candidate, store, connection, settings, purpose }, signal))
  const { pipeline: id, source: owner } = identity
  const parsers = customPolicy(parserPolicyOf(settings, owner.prefix), custom)
  const queue = resources.use(new DocumentQueue({ connection, pipeline: id }))
  const kept = resources.move()
  return {
    settings,
    id,
    identity,
    shared,
    connection,
    source: withPrefix(opened.source, owner.prefix),
    owner,
    watch: async () => watchWithPrefix(await opened.watch(), owner.prefix),
    store,
    parsers,
    ledger: new RedisLedger({ connection, pipeline: id }),
    queue,
    events,
    lastRun: new RedisLastRun({ connection, pipeline: id }),
    outages: new RedisOutages({ connection, pipeline: id }),
    activity: new RedisActivity({ connection, pipeline: id }),
    purchases,
    resources: kept,
    [Symbol.asyncDispose]: () => kept.disposeAsync(),
  }
}

interface WaitOptions {
  /** The dependency that the start waits for at that moment. */
  readonly what: () => 'the store' | 'the source' | 'Redis'
  /** Called with one line after `afterMs`, and again whenever the wait has doubled. */
  readonly say: (line: string) => void
  readonly afterMs: number
}

/**
 * Reports on the terminal the dependency that a start waits for. Log, metrics and readiness miss this wait: they
 * observe a pipeline after its store and source are open. The log may even be in that store.
 */
function reportSlowOpen<T>(work: Promise<T>, { what, say, afterMs }: WaitOptions): Promise<T> {
  let due = 1
  return notifyWhileSlow(work, afterMs, (times) => {
    if (times < due) return
    due = 2 * times
    say(`waiting: ${what()} has not answered for ${(times * afterMs) / 1000} s; no request was sent yet`)
  })
}

/** Requests in flight at a hard kill that were not retried: their charge is unknown (Law 2). */
export async function ambiguousRequests({ connection, id: pipeline }: Pipeline): Promise<readonly Intent[]> {
  await using lease = await ProcessLease.open({ connection, pipeline })
  const intents = await new RedisIntents({ connection, pipeline, lease, now: await sharedClock(connection) }).list()
  return intents.filter(({ state }) => state === 'ambiguous')
}
