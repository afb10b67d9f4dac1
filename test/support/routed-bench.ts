import { setTimeout as sleep } from 'node:timers/promises'
import { DEFAULT_SERVICE, recipeBook } from '#src/client/rules.ts'
import { PdfCutter } from '#src/cut/pdf-cutter.ts'
import type { RouteTerms } from '#src/document/route.ts'
import { NO_SPENDING } from '#src/document/spending.ts'
import { openGate } from '@sluice/limiter'
import type { Tier } from '#src/ingest/document/deps.ts'
import { FreeIntents } from '#src/ingest/document/tiers.ts'
import { RedisPageShare } from '#src/ledger/redis-page-share.ts'
import { HttpParser } from '#src/parse/http-parser.ts'
import type { JobVerdict } from '#src/ports/queue.ts'
import { routedRecipe } from '#src/route/routed-recipe.ts'
import { UNCOUNTED_READING } from '#src/ingest/document/read-window.ts'
import { ServiceGate } from '#workers/service/service-gate.ts'
import { headingOf } from './large-pdf.ts'
import type { TestRedis } from './redis.ts'
import { type ReceivedRequest, type Reply, type ScriptedService, startScriptedService } from './scripted-service.ts'
import { type BenchParts, ingestOnce, openWorkbench, type Workbench } from './workbench.ts'

/** Pages of `writeLargePdf` that a file holds, as they are numbered in the document that they come from. */
export function pagesInFile({ file }: Pick<ReceivedRequest, 'file'>, most: number): number[] {
  const content = file?.content ?? null
  return Array.from({ length: most }, (_, index) => index + 1).filter((page) =>
    content?.includes(`(${headingOf(page)})`),
  )
}

export interface RoutedOptions {
  readonly redis: TestRedis
  readonly engine: (request: ReceivedRequest) => Reply
  readonly paid: (request: ReceivedRequest) => Reply
  readonly terms?: Partial<RouteTerms>
}

export interface RoutedBench extends AsyncDisposable {
  readonly bench: Workbench
  readonly deps: BenchParts
  readonly engine: ScriptedService
  /** Delivers a document again and again, as the queue does, until it ends; answers how often. */
  readonly ingestToEnd: (key: string, own?: BenchParts) => Promise<number>
  readonly ingest: (key: string, attempt?: number, own?: BenchParts) => Promise<JobVerdict>
}

/** A workbench with an engine and a service, both scripted over real HTTP: which pages are bought is what it is about. */
export async function openRoutedBench({
  redis,
  engine: engineAnswers,
  paid,
  terms = {},
}: RoutedOptions): Promise<RoutedBench> {
  await using resources = new AsyncDisposableStack()
  const bench = resources.use(await openWorkbench({ redis, answers: paid }))
  const engine = resources.use(await startScriptedService({ answers: engineAnswers }))
  const { connection } = redis
  const pipeline = `routed-${new URL(engine.url).port}`
  const all: RouteTerms = { qualityFloor: 0.9, buyShare: 1, buyPages: null, ...terms }
  const parsers = { ...bench.deps.parsers }
  const local = { class: 'embedded', origin: 'engine', version: '1' } as const
  const tierAt = async (
    url: string,
    name: string,
  ): Promise<Pick<Tier, 'parser' | 'gate' | 'readWindow' | 'countPages'>> => ({
    parser: resources.use(
      new HttpParser({ baseUrl: new URL(url), apiKey: 'key', concurrency: 4, userAgent: 'test', service: url }),
    ),
    gate: new ServiceGate(resources.use(await openGate({ redis: connection, keyDigest: name })), 60_000),
    readWindow: { enter: async () => UNCOUNTED_READING },
    countPages: async () => null,
  })
  const book = recipeBook({})
  const deps: BenchParts = {
    ...bench.deps,
    parsers: { ...parsers, routes: { of: () => 'local-first', unmatched: () => [], engine: local } },
    recipeFor: (key, extension) => routedRecipe(book(key, extension), all),
    routed: {
      routeOf: () => 'local-first',
      serviceOf: () => DEFAULT_SERVICE,
      named: new Map(),
      terms: all,
      cutter: new PdfCutter(),
      share: new RedisPageShare({ connection, pipeline }),
      local: {
        ...(await tierAt(engine.url, pipeline)),
        parsers: { ...parsers, own: local },
        intents: new FreeIntents(bench.deps.intents),
        price: () => 0,
        charge: () => 0,
        spending: NO_SPENDING,
        dependency: 'engine',
      },
    },
  }
  const ingest: RoutedBench['ingest'] = (key, attempt = 1, own = deps) => ingestOnce(own, key, attempt)
  const ingestToEnd: RoutedBench['ingestToEnd'] = async (key, own) => {
    const queuedAt = Date.now()
    for (let attempt = 1, deliveries = 1; ; deliveries += 1) {
      const verdict = await ingestOnce(own ?? deps, key, attempt, queuedAt === undefined ? {} : { queuedAt })
      if (verdict.kind !== 'postpone') return deliveries
      if (verdict.counted) attempt += 1
      else await sleep(Math.min(verdict.afterMs, 50))
    }
  }
  const kept = resources.move()
  return { bench, deps, engine, ingest, ingestToEnd, [Symbol.asyncDispose]: () => kept.disposeAsync() }
}
