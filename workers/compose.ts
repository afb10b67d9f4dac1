import type { Join } from '#src/document/queue-lease.ts'
import { raiseClaimEpoch } from '#src/ingest/scan/claim-store.ts'
import type { ParserPolicy } from '#src/document/parser.ts'
import type { IngestDeps, Run, Tier } from '#src/ingest/document/deps.ts'
import type { Parser } from '#src/ports/parser.ts'
import { localDocuments, outdatedDocuments } from '#src/ingest/document/local-documents.ts'
import { ProcessLease } from '#src/ledger/process-lease.ts'
import { RedisClaims } from '#src/ledger/redis-claims.ts'
import { RedisIntents } from '#src/ledger/redis-intents.ts'
import type { LastRun } from '#src/ledger/redis-last-run.ts'
import { countUnusable } from '#src/ledger/unusable-answers.ts'
import { RedisScans } from '#src/ledger/redis-scans.ts'
import { renderOutputs } from '#src/outputs/render.ts'
import { redactUrl } from '#src/redis/connection.ts'
import { sharedClock } from '#src/redis/shared-clock.ts'
import { redisData } from './pipeline/redis-data.ts'
import type { Requests } from './service/open-requests.ts'
import { gonePolicyOf, ingestSettings, recipesFor, scanSettings } from './settings/from-settings.ts'
import { processState, systemClock } from './process/process-state.ts'
import { customSpending } from './pipeline/spending.ts'
import { followService } from './service/follow-service.ts'
import { type Opened, openFor, STORE_SLOW_MS } from './pipeline/open-pipeline.ts'
import type { openTiers, TierNeeds } from './pipeline/open-tiers.ts'
import { type HeldLease, takeQueueLease } from './pipeline/queue-lease.ts'
import { type ReadyStore, readyStore } from './pipeline/ready-store.ts'
import { RunRecord } from './pipeline/run-record.ts'
import type { PipelineOptions, IngestPipeline } from './pipeline/pipeline.ts'

/** Opens a pipeline as `openPipeline` does, and adds a service, its gate and all ports of a worker. */
export async function openIngestPipeline(options: PipelineOptions, signal: AbortSignal): Promise<IngestPipeline> {
  const { settings, events } = options
  // The check of options runs first: unusable options leave no trace.
  const recipes = recipesFor(settings)
  const opened = await openFor(options, 'ingest', signal)
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
      tiers: { main, routed: await tiersOf({ ...options, ...opened, ...spend, pipeline: id, intents }, signal) },
      run: {
        ...traced,
        events,
        backlog: () => queue.backlog(),
        requestPriority: shared.requestPriority,
        answerMemory: shared.answerMemory,
        halt: (cause, message) => events.emit('run:halted', { cause, message }),
        ...processState(signal, systemClock(sharedNow)),
      },
      policy: {
        ...recipes(owner.prefix),
        ...ingestSettings(settings, owner.prefix),
        storeSlowMs: STORE_SLOW_MS,
        render: renderOutputs,
      },
    }
    const isOutdated = await outdatedDocuments(opened, signal)
    await notify(opened, options)
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

/** Makes the store ready for purchases of this queue alone. The lease is released after all else has closed. */
async function takeStore(
  { store, connection, shared, events, settings, resources }: Opened,
  say: PipelineOptions['say'],
  signal: AbortSignal,
): Promise<ReadyStore> {
  const { state, spool: spoolFolder } = shared.folders
  const { redisUrl } = settings
  const join: Join =
    redisUrl === undefined ? { kind: 'private', stateDir: state } : { kind: 'redis', url: redactUrl(redisUrl) }
  const onLost = (message: string): void => void events.emit('run:halted', { cause: 'store', message })
  const takeLease = async (): Promise<HeldLease> =>
    resources.use(await takeQueueLease({ store, connection, join, onLost }, signal))
  return readyStore(store, { storeSlowMs: STORE_SLOW_MS, say, events, spoolFolder, takeLease }, signal)
}

/** Loads the module of routed tiers only if documents are routed. */
async function tiersOf(needs: TierNeeds, signal: AbortSignal): ReturnType<typeof openTiers> {
  if (needs.parsers.routes === undefined) return null
  return (await import('./pipeline/open-tiers.ts')).openTiers(needs, signal)
}

/** The client of the service, or a caller's parser behind the same gate. */
const wayTo = ({ parser, gate, readWindow }: Requests, own?: Parser): Pick<Tier, 'parser' | 'gate' | 'readWindow'> => ({
  parser: own ?? parser,
  gate,
  readWindow,
})

const serviceFacts = ({ own }: ParserPolicy, { service }: Requests): Pick<LastRun, 'service' | 'gate'> => ({
  service: own.class === 'embedded' ? null : own.origin,
  gate: service.digest,
})

/** Runs first: the log also records failures at the start. */
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

/** Loads the module of notices only if a receiver is set. */
async function notify(opened: Opened, { settings: { notifyUrl }, say }: PipelineOptions): Promise<void> {
  if (notifyUrl === undefined) return
  ;(await import('./pipeline/notices.ts')).sendNotices(notifyUrl, opened, say)
}

function reportFound(documents: number, say: PipelineOptions['say']): void {
  if (documents > 0) say(`Sluice completed the ledger with documents found in the store: ${documents}`)
}
