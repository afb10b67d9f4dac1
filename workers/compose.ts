import type { Join } from '#src/document/queue-lease.ts'
import { raiseClaimEpoch } from '#src/ingest/scan/claim-store.ts'
import type { ParserPolicy } from '#src/document/parser.ts'
import type { IngestDeps, Run, Tier } from '#src/ingest/document/deps.ts'
import type { Parser } from '#src/ports/parser.ts'
import type { PlanDeps } from '#src/ingest/scan/plan-source.ts'
import { localDocuments, outdatedDocuments } from '#src/ingest/document/local-documents.ts'
import { ProcessLease } from '#src/ledger/process-lease.ts'
import { RedisClaims } from '#src/ledger/redis-claims.ts'
import { type Intent, RedisIntents } from '#src/ledger/redis-intents.ts'
import { RedisActivity } from '#src/ledger/redis-activity.ts'
import { type LastRun, RedisLastRun } from '#src/ledger/redis-last-run.ts'
import { RedisOutages } from '#src/ledger/redis-outages.ts'
import { RedisLedger } from '#src/ledger/redis-ledger.ts'
import { countUnusable } from '#src/ledger/unusable-answers.ts'
import { RedisScans } from '#src/ledger/redis-scans.ts'
import { renderOutputs } from '#src/outputs/render.ts'
import { type RedisConnection, withoutSecrets } from '#src/redis/connection.ts'
import { DocumentQueue } from '#src/queue/document-queue.ts'
import { sharedClock } from '#src/redis/shared-clock.ts'
import { watchWithPrefix, withPrefix } from '#src/sources/prefixed-source.ts'
import { whileSlow } from '#src/kit/while-slow.ts'
import { redisData } from './pipeline/lost-redis.ts'
import { pageCounting, priceWith, type Requests } from './service/open-requests.ts'
import {
  cutterOf,
  gonePolicyOf,
  ingestSettings,
  parserPolicyOf,
  recipesFor,
  scanSettings,
  STORE_SLOW_MS,
} from './settings/from-settings.ts'
import { ListingPurchases } from './open/listing-purchases.ts'
import { type Identity, openIdentity, type Purpose, refuseRemoved } from './open/open-identity.ts'
import { processState, systemClock } from './process/process-state.ts'
import { identifyCustomSource, openCustomSource, customPolicy, customSpending } from './pipeline/custom-ports.ts'
import { openStore } from './open/open-store.ts'
import { followService } from './service/follow-service.ts'
import { refuseKeyless, refuseServices, servicePrices } from './pipeline/named-services.ts'
import { openTiers } from './pipeline/open-tiers.ts'
import { type HeldLease, takeQueueLease } from './pipeline/queue-lease.ts'
import { type ReadyStore, readyStore } from './pipeline/ready-store.ts'
import { RunRecord } from './pipeline/run-record.ts'
import { openShared } from './pipeline/shared.ts'
import type { Pipeline, PipelineOptions, IngestPipeline } from './pipeline/pipeline.ts'

interface Opened extends Pipeline {
  readonly identity: Identity
  readonly purchases: ListingPurchases
  readonly resources: AsyncDisposableStack
}

/** Turns settings into ports; nothing else does. For commands that read and do not parse. */
export async function openPipeline(options: PipelineOptions): Promise<Pipeline> {
  return open({ ...options, mustExist: true }, 'read', new AbortController().signal)
}

/** As `openPipeline`, with a service, its gate, and everything that a worker needs. */
export async function openIngestPipeline(options: PipelineOptions, signal: AbortSignal): Promise<IngestPipeline> {
  const { settings, events } = options
  // Before anything is made: options that cannot be used leave no trace.
  const recipes = recipesFor(settings)
  const opened = await open(options, 'ingest', signal)
  const { resources, id, identity, connection, source, owner, parsers, store, ledger, queue, shared, lastRun } = opened
  try {
    const traced = await observe(opened, options.name ?? null)
    const { queueLease, ...kept } = await takeStore(opened, options.say, signal)
    const requests = await shared.requests(settings, signal)
    resources.use(followService(requests, shared.events, events, settings.servicePatienceMs))
    const lease = resources.use(await ProcessLease.open({ connection, pipeline: id, leaseMs: settings.takeoverMs }))
    lease.onNewEpoch(() => queueLease.declare())
    const sharedNow = await sharedClock(connection)
    const intents = new RedisIntents({ ...settings, connection, pipeline: id, lease, now: sharedNow })
    const spend = await customSpending(options.custom, { ...opened, pipeline: id, lease }, requests, resources)
    const { remember, claimSource } = identity
    const { limiter: gate } = requests.gate
    const data = redisData({ ...spend, lease, rebuild: opened, intents, gate, events, settings, remember })
    reportFound(await data.complete(signal), options.say)
    const main: Tier = { ...wayTo(requests, options.custom?.parser), ...spend.deps, parsers, intents }
    const claims = new RedisClaims({ connection, pipeline: id, lease, raiseEpoch: () => raiseClaimEpoch(store) })
    const ingest: IngestDeps = {
      stores: { ...kept, source, owner, ledger, claims },
      tiers: { main, routed: await openTiers({ ...options, ...opened, ...spend, pipeline: id, intents }, signal) },
      run: {
        ...traced,
        events,
        backlog: () => queue.backlog(),
        requestPriority: shared.requestPriority,
        answerMemory: shared.answerMemory,
        halt: (cause, message) => events.emit('run:halted', { cause, message }),
        ...processState(signal, systemClock(sharedNow)),
      },
      policy: { ...recipes(owner.prefix), ...ingestSettings(settings, owner.prefix), render: renderOutputs },
    }
    const isOutdated = await outdatedDocuments(opened, signal)
    return {
      ...opened,
      ingest,
      scan: { ...ingest, ...scanSettings(settings), parsers, intents, queue, claimSource, isOutdated },
      local: await localDocuments(ingest.stores, main, ingest.policy, signal),
      gone: gonePolicyOf(settings),
      data,
      requests,
      intents,
      beginRun: spend.beginRun,
      runRecord: new RunRecord({ lastRun, events, lease, service: serviceFacts(parsers, requests) }),
    }
  } catch (error) {
    await opened[Symbol.asyncDispose]()
    throw error
  }
}

/** The store, ready for purchases of this queue alone. Its lease is given back after all else has ended. */
async function takeStore(
  { store, connection, shared, events, settings, resources }: Opened,
  say: PipelineOptions['say'],
  signal: AbortSignal,
): Promise<ReadyStore> {
  const { state, spool: spoolFolder } = shared.folders
  const { redisUrl } = settings
  const join: Join =
    redisUrl === undefined ? { kind: 'private', stateDir: state } : { kind: 'redis', url: withoutSecrets(redisUrl) }
  const onLost = (message: string): void => void events.emit('run:halted', { cause: 'store', message })
  const takeLease = async (): Promise<HeldLease> =>
    resources.use(await takeQueueLease({ store, connection, join, onLost }, signal))
  return readyStore(store, { storeSlowMs: STORE_SLOW_MS, say, events, spoolFolder, takeLease }, signal)
}

/** The way to the service, or to a parser of the caller's own behind the same gate. */
const wayTo = ({ parser, gate, readWindow }: Requests, own?: Parser): Pick<Tier, 'parser' | 'gate' | 'readWindow'> => ({
  parser: own ?? parser,
  gate,
  readWindow,
})

const serviceFacts = ({ own }: ParserPolicy, { service }: Requests): Pick<LastRun, 'service' | 'gate'> => ({
  service: own.class === 'embedded' ? null : own.origin,
  gate: service.digest,
})

/** Comes first, so that the log also has what fails at the start. */
async function observe(
  { resources, shared, events, ledger, queue, outages, lastRun, activity, connection, id }: Opened,
  name: string | null,
): Promise<Pick<Run, 'traceparent'>> {
  events.on('request:lost', ({ to, credits }) => {
    if (to === 'parser') countUnusable(connection, id, credits).catch(() => undefined)
  })
  const observer = await shared.observer()
  const scans = new RedisScans({ connection, pipeline: id })
  resources.use(observer.observe({ name, events, ledger, queue, outages, scans, lastRun, activity }))
  const traceparent = observer.tracing?.observe({ events, id, name })
  return traceparent === undefined ? {} : { traceparent }
}

function reportFound(documents: number, say: PipelineOptions['say']): void {
  if (documents > 0) say(`the ledger was not complete: ${documents} documents were found in the store`)
}

/** As `openPipeline`, for `sluice plan`: counts pages, knows prices, and has no way to send anything. */
export async function openPlanning(options: PipelineOptions): Promise<Pipeline & { readonly plan: PlanDeps }> {
  const { settings } = options
  const recipes = recipesFor(settings)
  const { signal } = new AbortController()
  const opened = await open(options, 'plan', signal)
  const { source, owner, store, ledger, parsers, resources } = opened
  return {
    ...opened,
    plan: {
      stores: { ...store, source, owner, ledger },
      run: { clock: systemClock(Date.now) },
      policy: { ...recipes(owner.prefix), cutter: cutterOf(settings) },
      parsers,
      isOutdated: await outdatedDocuments(opened, signal),
      checksum: settings.detectChanges === 'content',
      price: priceWith(false, settings),
      priceFor: servicePrices(settings, owner.prefix),
      countPages: pageCounting(false, resources),
    },
  }
}

async function open(options: PipelineOptions, purpose: Purpose, signal: AbortSignal): Promise<Opened> {
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
  /** What it waits for at that moment. */
  readonly what: () => 'the store' | 'the source' | 'Redis'
  /** Called with one line when it has taken that long, and each time when it has taken twice as long as at the last. */
  readonly say: (line: string) => void
  readonly afterMs: number
}

/**
 * Says on the terminal what a start waits for. Log, metrics and readiness do not know of the wait: they observe a pipeline
 * once its store and its source are open, and the log may lie in that very store.
 */
function reportSlowOpen<T>(work: Promise<T>, { what, say, afterMs }: WaitOptions): Promise<T> {
  let due = 1
  return whileSlow(work, afterMs, (times) => {
    if (times < due) return
    due = 2 * times
    say(`waiting: ${what()} does not answer for ${(times * afterMs) / 1000} s; nothing was bought`)
  })
}

/** Requests in flight at a hard kill that were not sent again: whether they were charged is unknown (Law 2). */
export async function ambiguousRequests({ connection, id: pipeline }: Pipeline): Promise<readonly Intent[]> {
  await using lease = await ProcessLease.open({ connection, pipeline })
  const intents = await new RedisIntents({ connection, pipeline, lease, now: await sharedClock(connection) }).list()
  return intents.filter(({ state }) => state === 'ambiguous')
}
