import type { Settings } from '#config/settings.ts'
import type { StoreSource } from '#src/document/store-manifest.ts'
import type { Events } from '#src/events.ts'
import type { Adopted } from '#src/ingest/scan/claim-store.ts'
import type { ParserPolicy } from '#src/document/parser.ts'
import type { IngestDeps } from '#src/ingest/deps.ts'
import type { Refusals } from '#src/ingest/process/refusals.ts'
import type { SourceView } from '#src/ingest/scan/source-view.ts'
import { type LocalDocuments, localDocuments, outdatedDocuments } from '#src/ingest/process/local-documents.ts'
import type { GonePolicy } from '#src/ingest/scan/sweep-gone.ts'
import { ProcessLease } from '#src/ledger/process-lease.ts'
import { RedisClaims } from '#src/ledger/redis-claims.ts'
import type { RetryDeps } from '#src/ingest/maintain/retry-dead-letters.ts'
import { type Intent, RedisIntents } from '#src/ledger/redis-intents.ts'
import { RedisActivity } from '#src/ledger/redis-activity.ts'
import { RedisOutages } from '#src/ledger/redis-outages.ts'
import { RedisLedger } from '#src/ledger/redis-ledger.ts'
import { RedisScans } from '#src/ledger/redis-scans.ts'
import { renderOutputs } from '#src/outputs/render.ts'
import type { Ledger } from '#src/ports/ledger.ts'
import type { OutputStore } from '#src/ports/output-store.ts'
import type { Source, SourceWatch } from '#src/ports/source.ts'
import type { RedisConnection } from '#src/redis/connection.ts'
import type { Consumer } from '#src/queue/consume.ts'
import { DocumentQueue } from '#src/queue/document-queue.ts'
import { keepSchedule } from '#src/queue/schedule.ts'
import { sharedClock } from '#src/redis/shared-clock.ts'
import { watchWithPrefix, withPrefix } from '#src/sources/prefixed-source.ts'
import { consumeInPlaces } from './consume-in-places.ts'
import { redisData, type RedisData } from './lost-redis.ts'
import type { PlanDeps } from '#src/ingest/scan/plan-source.ts'
import { estimateMs, hostedGateLine, pageCounting, priceWith, type Requests } from './open-requests.ts'
import { cutterOf, gonePolicyOf, recipesFor, scanSettings, toldBySettings } from './from-settings.ts'
import { ListingPurchases } from './listing-purchases.ts'
import type { Migrated } from './migrate-former.ts'
import { openIdentity, refuseRemoved, type Purpose } from './open-identity.ts'
import { ownOfProcess } from './own-of-process.ts'
import { identifyOwnSource, openOwnSource, ownPolicy, type OwnPorts, ownSpending } from './own-ports.ts'
import { openStore } from './open-store.ts'
import { followService } from './follow-service.ts'
import { requestsInDoubt } from './in-doubt.ts'
import { parserPolicyOf } from './parser-policy.ts'
import { readyStore } from './ready-store.ts'
import { statusLine } from './status-line.ts'
import { tellFound } from './tell-found.ts'
import { tellWait } from './tell-wait.ts'
import { openShared, type Shared } from './shared.ts'

export interface PipelineOptions {
  /** As the settings file names it; null for what the command line says. */
  readonly name?: string | null
  /** The source as the command line or the settings file names it. */
  readonly source: string
  readonly settings: Settings
  readonly events: Events
  /** Called with one line about what takes a moment. */
  readonly say: (line: string) => void
  /** What it has in common with the other pipelines of this process; its own when not given. */
  readonly shared?: Shared
  /** Whether anything but a store at `--out` is refused; else it is made one where documents are ingested. */
  readonly mustExist?: boolean
  readonly own?: OwnPorts
}

/** A source, a store and all that lies between them, open. Disposing closes it in reverse. */
export interface Pipeline extends AsyncDisposable {
  readonly source: Source
  /** The source as the store knows it. */
  readonly owner: StoreSource
  /** Follows the source. */
  readonly watch: () => Promise<SourceWatch>
  readonly store: OutputStore
  readonly ledger: Ledger
  readonly queue: DocumentQueue
  readonly events: Events
  /** Requests in flight at a hard kill that were not sent again: whether they were charged is unknown (Law 2). */
  readonly inDoubt: () => Promise<readonly Intent[]>
  /** What the gate is doing, in a few words; null when there is nothing to say. */
  readonly gateLine: () => Promise<string | null>
  readonly outages: RedisOutages // What its processes could not use when they last told.
  readonly activity: RedisActivity
}

/** A pipeline that can also send requests. */
export interface Workshop extends Pipeline {
  readonly scan: RetryDeps
  /** What the embedded engine did and this run does again at the service; null where there is none. */
  readonly local: LocalDocuments | null
  readonly gone: GonePolicy
  /** Whether Redis still has what it had, and how to make good what it lost. */
  readonly data: RedisData
  readonly settings: Settings
  /** What the service refused in this process. */
  readonly refusals: Refusals
  /** What this process may conclude from a document that it does not see. */
  readonly view: SourceView
  /** Before this process feeds the queue: its cap (`--max-credits`) binds every worker on it from now on. */
  readonly beginRun: () => Promise<void>
  /** Shared by all processes with the same key. */
  readonly limiter: Requests['gate']['limiter']
  /** Requests that were in flight at a hard kill: whether the service charged for them is unknown (Law 2). */
  readonly ambiguous: () => Promise<number>
  /** Starts taking jobs. */
  readonly consume: () => Consumer
  /** Does something at set times until `signal` aborts; of all processes on this pipeline one does it each time. */
  readonly onSchedule: (
    every: string,
    action: (signal: AbortSignal) => Promise<void>,
    signal: AbortSignal,
  ) => Promise<void>
}

interface Opened extends Pipeline {
  readonly id: string
  readonly adopted: Adopted | null
  readonly migrated: Migrated | null
  readonly parsers: ParserPolicy
  readonly purchases: ListingPurchases
  readonly remember: () => Promise<void>
  readonly connection: RedisConnection
  readonly shared: Shared
  readonly resources: AsyncDisposableStack
}

/** The one place where settings become ports: for commands that look and do not parse. */
export async function openPipeline(options: PipelineOptions): Promise<Pipeline> {
  return open({ ...options, mustExist: true }, 'look', new AbortController().signal)
}

/** As `openPipeline`, with a service, its gate, and everything that a worker needs. */
export async function openWorkshop(options: PipelineOptions, signal: AbortSignal): Promise<Workshop> {
  const { settings, events } = options
  // Before anything is made: options that cannot be used leave no trace.
  const recipes = recipesFor(settings)
  const opened = await open(options, 'ingest', signal)
  const { resources, id, connection, source, owner, parsers, store, ledger, queue, shared } = opened
  try {
    const traced = await observe(opened, options.name ?? null)
    const kept = { ...traced, ...(await readyStore(store, { ...options, spoolFolder: shared.folders.spool }, signal)) }
    const requests = await shared.requests(settings, signal)
    resources.use(followService(requests, shared.events, events, settings.servicePatienceMs))
    const lease = await ProcessLease.open({ connection, pipeline: id, leaseMs: settings.takeoverMs })
    resources.defer(() => lease.close())
    const sharedNow = await sharedClock(connection)
    const intents = new RedisIntents({ ...settings, connection, pipeline: id, lease, now: sharedNow })
    const spend = ownSpending(options.own, { ...opened, pipeline: id, lease, settings }, requests, resources)
    const data = redisData({ ...opened, lease, settings, rebuild: opened, intents, gate: requests.gate.limiter })
    tellFound(opened, await data.complete(signal), options.say)
    const ingest: IngestDeps = {
      source,
      owner,
      parsers,
      ...kept,
      ledger,
      events,
      ...recipes(owner.prefix),
      halt: halting(events),
      parser: options.own?.parser ?? requests.parser,
      gate: requests.gate,
      ...spend.deps,
      cutter: cutterOf(settings),
      claims: new RedisClaims({ connection, pipeline: id, lease }),
      intents,
      render: renderOutputs,
      sharedNow,
      rightOfWay: shared.rightOfWay,
      answerMemory: shared.answerMemory,
      ...ownOfProcess(signal),
      ...toldBySettings(settings),
    }
    return {
      ...opened,
      settings,
      scan: { ...ingest, ...scanSettings(settings), queue, isOutdated: await outdatedDocuments(ingest, signal) },
      local: await localDocuments(ingest, signal),
      gone: gonePolicyOf(settings),
      data,
      gateLine: () => statusLine(shared.outageLine, requests),
      refusals: ingest.refusals,
      view: ingest.view,
      beginRun: spend.beginRun,
      limiter: requests.gate.limiter,
      ambiguous: () => intents.ambiguousTotal(),
      consume: () => consumeInPlaces({ connection, pipeline: id, places: shared.places, settings, ingest }),
      onSchedule: scheduling(opened, settings, data),
    }
  } catch (error) {
    await opened[Symbol.asyncDispose]()
    throw error
  }
}

/** First of all: what goes wrong at the start shall be in the log, too. */
async function observe(
  { resources, shared, events, ledger, queue, outages, connection, id }: Opened,
  name: string | null,
): Promise<Pick<IngestDeps, 'traceparent'>> {
  const observer = await shared.observer()
  const scans = new RedisScans({ connection, pipeline: id })
  resources.use(observer.observe({ name, events, ledger, queue, outages, scans }))
  const traceparent = observer.tracing?.observe({ events, id, name })
  return traceparent === undefined ? {} : { traceparent }
}

const scheduling =
  ({ connection, id: pipeline, events }: Opened, { takeoverMs }: Settings, data: RedisData): Workshop['onSchedule'] =>
  (every, action, signal) => {
    const onTick = (dueAt: Date, cut: AbortSignal): Promise<void> => {
      events.emit('schedule:due', { dueAt })
      return action(cut)
    }
    const onError = (error: unknown): boolean => events.emit('process:error', { key: null, error })
    const { onLoss } = data
    return keepSchedule({ connection, pipeline, every, takeoverMs, onTick, onError, onLoss }, signal)
  }

const halting =
  (events: Events): IngestDeps['halt'] =>
  (cause, message) =>
    events.emit('run:halted', { cause, message })

/** A pipeline that is only looked at, with what a plan needs. */
export interface Planning extends Pipeline {
  readonly plan: PlanDeps
  /** How long so many requests take at what the gate has learned; null while it knows nothing. */
  readonly estimatedMs: (requests: number) => Promise<number | null>
}

/** As `openPipeline`, for `sluice plan`: counts pages, knows prices, and has no way to send anything. */
export async function openPlanning(options: PipelineOptions): Promise<Planning> {
  const { settings } = options
  const recipes = recipesFor(settings)
  const opened = await open(options, 'plan', new AbortController().signal)
  const { source, owner, store, ledger, parsers, resources } = opened
  return {
    ...opened,
    plan: {
      source,
      owner,
      store,
      parsers,
      isOutdated: await outdatedDocuments(opened, new AbortController().signal),
      ledger,
      ...recipes(owner.prefix),
      checksum: settings.checksum,
      price: priceWith(false, settings),
      countPages: pageCounting(false, resources),
      cutter: cutterOf(settings),
    },
    estimatedMs: (requests) => estimateMs(requests, settings, opened.connection),
  }
}

async function open(options: PipelineOptions, purpose: Purpose, signal: AbortSignal): Promise<Opened> {
  const { source: name, settings, events, say, mustExist = false, own = {} } = options
  await using resources = new AsyncDisposableStack()
  const shared = options.shared ?? resources.use(openShared({ settings, say }))
  const beforeMaking = async (url: string, isMade: () => boolean): Promise<void> =>
    refuseRemoved(url, isMade, await shared.connection(signal), settings)
  const answered = <T>(what: 'store' | 'source', work: Promise<T>): Promise<T> =>
    tellWait(work, { what, say, afterMs: settings.storeSlowMs })
  const opening = own.store ?? openStore(settings, resources, { mustExist, beforeMaking })
  const store = await answered('store', Promise.resolve(opening))
  const purchases = new ListingPurchases()
  const buying = purpose === 'ingest' ? { purchases } : {}
  const around = { storeUrl: store.url, say, noticesFor: shared.noticesFor, ...buying }
  const opened = await answered('source', openOwnSource(own, name, settings, around, resources))
  const candidate = await answered('source', identifyOwnSource(own, name, opened.source.url, settings))
  const connection = await shared.connection(signal)
  const identity = await answered('store', openIdentity({ candidate, store, connection, settings, purpose }, signal))
  const { pipeline: id, source: owner, adopted, migrated, remember } = identity
  const parsers = ownPolicy(parserPolicyOf(settings, { isFormer: identity.isFormer, prefix: owner.prefix }), own)
  const source = withPrefix(opened.source, owner.prefix)
  const queue = new DocumentQueue({ connection, pipeline: id })
  resources.defer(() => queue.close())
  const ledger = new RedisLedger({ connection, pipeline: id })
  const kept = resources.move()
  return {
    id,
    adopted,
    migrated,
    parsers,
    purchases,
    remember,
    source,
    owner,
    watch: async () => watchWithPrefix(await opened.watch(), owner.prefix),
    store,
    ledger,
    queue,
    events,
    inDoubt: () => requestsInDoubt(connection, id),
    gateLine: () => hostedGateLine(settings, connection),
    outages: new RedisOutages({ connection, pipeline: id }),
    activity: new RedisActivity({ connection, pipeline: id }),
    connection,
    shared,
    resources: kept,
    [Symbol.asyncDispose]: () => kept.disposeAsync(),
  }
}
