import { mkdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { creditsFor, DEFAULT_PRICES } from '@sluice/contract'
import { textRecipeBook } from '#src/client/passthrough.ts'
import { recipeBook, type RecipeSettings } from '#src/client/rules.ts'
import { sourceKey, sourceId } from '#src/document/ids.ts'
import type { HaltCause } from '#src/document/verdict.ts'
import { AnswerMemory } from '#src/kit/answer-memory.ts'
import { RequestPriority } from '#src/ingest/document/request-priority.ts'
import { Events } from '#src/events.ts'
import { openGate } from '@sluice/limiter'
import { ReadWindow } from '#src/ingest/document/read-window.ts'
import { ServiceGate } from '#workers/service/service-gate.ts'
import type { IngestDeps, Policy, RoutedTiers, Run, ScanDeps, Stores, Tier } from '#src/ingest/document/deps.ts'
import type { PlanDeps } from '#src/ingest/scan/plan-source.ts'
import type { OutputStore } from '#src/ports/output-store.ts'
import { FailureStreak, DependencyHealth } from '#src/ingest/document/dependency-health.ts'
import { RecentCosts } from '#src/ingest/document/costs.ts'
import { SitePauses, TimeoutMemory } from '#src/ingest/document/service-memory.ts'
import { handlingOf } from '#src/ingest/document/preflight.ts'
import { ingestDocument } from '#src/ingest/ingest-document.ts'
import { NO_SPENDING } from '#src/document/spending.ts'
import { Refusals } from '#src/ingest/document/refusals.ts'
import { SourceView } from '#src/ingest/document/source-view.ts'
import { ProcessLease } from '#src/ledger/process-lease.ts'
import { RedisClaims } from '#src/ledger/redis-claims.ts'
import { RedisIntents } from '#src/ledger/redis-intents.ts'
import { RedisLedger } from '#src/ledger/redis-ledger.ts'
import { openFolderStore } from '#src/outputs/folder/folder-store.ts'
import { renderOutputs } from '#src/outputs/render.ts'
import { HttpParser } from '#src/parse/http-parser.ts'
import type { DocumentJob, JobVerdict, Suspicion } from '#src/ports/queue.ts'
import type { PieceCutter } from '#src/ports/piece-cutter.ts'
import { openFolderSource } from '#src/sources/folder/folder-source.ts'
import type { ParserPolicy } from '#src/document/parser.ts'
import type { TestRedis } from './redis.ts'
import { type ScriptedService, type ScriptedServiceOptions, startScriptedService } from './scripted-service.ts'
import { tempFolder } from './temp-folder.ts'
import { systemClock } from '#workers/process/process-state.ts'
import { pathToFileURL } from 'node:url'
import type { SourceOwner } from '#src/document/store-manifest.ts'

/** A folder as the source that owns its records. */
const ownerOf = (folder: string): SourceOwner => ({
  id: sourceId('0123456789abcdef'),
  address: pathToFileURL(`${folder}/`).href,
})

const CLOCK = systemClock(Date.now)

/** A service, and receipts of format 1 as well. */
const ANY_PARSER: ParserPolicy = {
  own: { class: 'service', origin: 'http://service.test', version: null },
  acceptLocal: false,
  upgrade: false,
  upgradeOf: null,
}

/** Redis names of each workbench, so that those of one server never meet. */
let opened = 0

/** What a workbench ingests with, side by side, so that a test replaces one part of it. */
export interface BenchParts
  extends Pick<Stores, 'source' | 'owner' | 'spool' | 'ledger' | 'claims'>, Tier, Run, Policy {
  readonly store: OutputStore
  readonly routed: RoutedTiers | null
}

export const depsOf = (parts: BenchParts): IngestDeps => ({
  stores: { ...parts.store, ...parts },
  tiers: { main: parts, routed: parts.routed },
  run: parts,
  policy: parts,
})

export const scanOf = (
  parts: BenchParts & Omit<ScanDeps, keyof IngestDeps>,
): ScanDeps & Pick<Tier, 'price' | 'countPages'> => ({ ...parts, ...depsOf(parts) })

export const planOf = (parts: BenchParts & Pick<PlanDeps, 'checksum' | 'isOutdated' | 'priceFor'>): PlanDeps => ({
  ...parts,
  ...depsOf(parts),
})

/** A worker without its queue: all parts real, the service scripted, and what happens between attempts left to the test. */
export interface Workbench extends AsyncDisposable {
  readonly service: ScriptedService
  readonly deps: BenchParts
  readonly halts: readonly (readonly [HaltCause, string])[]
  write(key: string, content: string | Buffer): Promise<void>
  erase(key: string): Promise<void>
  /** What the queue is answered after one delivery of this document. */
  ingest(key: string, attempt?: number, suspicion?: Suspicion): Promise<JobVerdict>
}

export interface WorkbenchOptions extends ScriptedServiceOptions {
  readonly redis: TestRedis
  readonly settings?: RecipeSettings
  readonly ocrFallback?: boolean
  readonly minGrade?: number
  readonly cutter?: PieceCutter | null
  readonly leaseMs?: number
  readonly answerBytes?: number
}

export async function openWorkbench({
  redis,
  settings = {},
  ocrFallback = false,
  minGrade,
  cutter = null,
  leaseMs = 10_000,
  answerBytes = Infinity,
  ...script
}: WorkbenchOptions): Promise<Workbench> {
  await using resources = new AsyncDisposableStack()
  const folder = resources.use(await tempFolder())
  const inbox = join(folder.path, 'in')
  await mkdir(inbox)
  const service = resources.use(await startScriptedService(script))
  opened += 1
  const pipeline = `workbench-${process.pid}-${opened}`
  const { connection } = redis
  const lease = await ProcessLease.open({ connection, pipeline, leaseMs })
  resources.use(lease)
  const halts: (readonly [HaltCause, string])[] = []
  const deps: BenchParts = {
    source: openFolderSource({ path: inbox }),
    owner: ownerOf(inbox),
    parsers: ANY_PARSER,
    routed: null,
    mustStay: () => false,
    spool: null,
    store: await openFolderStore({ path: join(folder.path, 'out') }),
    parser: resources.use(
      new HttpParser({ baseUrl: new URL(service.url), apiKey: 'key', concurrency: 2, userAgent: 'test' }),
    ),
    gate: new ServiceGate(resources.use(await openGate({ redis: connection, keyDigest: pipeline })), 60_000),
    readWindow: new ReadWindow(() => performance.now()),
    ledger: new RedisLedger({ connection, pipeline }),
    claims: new RedisClaims({ connection, pipeline, lease, raiseEpoch: async () => 1 }),
    backlog: async () => 1,
    intents: new RedisIntents({ connection, pipeline, lease, now: Date.now }),
    events: new Events(),
    recipeFor: recipeBook(settings),
    textRecipeFor: textRecipeBook(recipeBook(settings), true),
    render: renderOutputs,
    countPages: async () => null,
    cutter,
    price: ({ options }, extension, pages) => creditsFor(options, extension, pages, DEFAULT_PRICES),
    charge: (reported) => reported,
    spending: NO_SPENDING,
    halt: (cause, message) => halts.push([cause, message]),
    stopping: new AbortController().signal,
    clock: CLOCK,
    random: () => 0,
    requestPriority: new RequestPriority(),
    answerMemory: new AnswerMemory(answerBytes),
    dependencyHealth: new DependencyHealth(CLOCK.monotonic),
    view: new SourceView(),
    refusals: new Refusals(),
    lowSpace: new FailureStreak(CLOCK.monotonic),
    timeoutMemory: new TimeoutMemory(),
    sitePauses: new SitePauses(CLOCK.monotonic),
    recentCosts: new RecentCosts(),
    storePatienceMs: 1_000,
    storeSlowMs: 10_000,
    deadlineMs: 3_600_000,
    ocrFallback,
    minGrade,
  }
  const kept = resources.move()
  return {
    service,
    deps,
    halts,
    write: (key, content) => writeFile(join(inbox, key), content),
    erase: (key) => rm(join(inbox, key)),
    ingest: (key, attempt = 1, suspicion) => ingestOnce(deps, key, attempt, suspicion && { suspicion }),
    [Symbol.asyncDispose]: () => kept.disposeAsync(),
  }
}

/** What the queue is answered after one delivery of a document with these parts. */
export async function ingestOnce(
  parts: BenchParts,
  name: string,
  attempt: number,
  job: Partial<DocumentJob> = {},
): Promise<JobVerdict> {
  const key = sourceKey(name)
  const signal = new AbortController().signal
  const document = await parts.source.open(key, signal)
  if ('message' in document) throw new Error(document.message)
  const { version, bytes } = document
  await document[Symbol.asyncDispose]()
  const handling = handlingOf(key, parts)
  if (handling === null) throw new Error(`${name} is no document`)
  const { hash } = handling.recipe
  await parts.ledger.write([[key, { version, recipeHash: hash, outcome: 'pending' }]])
  const queuedAt = Date.now()
  const delivered = { schema: 1, key, version, recipeHash: hash, bytes, queuedAt, ...job } as const
  return ingestDocument({ job: delivered, attempt }, depsOf(parts), signal)
}
