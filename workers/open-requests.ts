import { randomUUID } from 'node:crypto'
import type { Settings } from '#config/settings.ts'
import { creditsFor, FREE } from '#src/contract/price.ts'
import type { IngestDeps } from '#src/ingest/deps.ts'
import type { Budget } from '#src/gate/budget.ts'
import { gateLine } from '#src/gate/gate-line.ts'
import { gateDigest, openGate } from '#src/gate/open-gate.ts'
import { PageCounter } from '#src/engine/pages/page-counter.ts'
import { HttpParser } from '#src/parse/http-parser.ts'
import type { RedisGate } from '#src/gate/redis-gate.ts'
import type { Parser } from '#src/ports.ts'
import type { RedisConnection } from '#src/queue/connection.ts'
import type { Folders } from './folders.ts'
import { openService } from './open-service.ts'

export interface Requests {
  readonly parser: Parser
  readonly gate: RedisGate
  /** Nothing is charged: the embedded engine. */
  readonly free: boolean
  readonly gateLine: () => Promise<string | null>
}

interface RequestsOptions {
  readonly settings: Settings
  readonly folders: Folders
  readonly connection: RedisConnection
  readonly pipeline: string
}

/** The way to the service: the client, and the gate that everybody with the same key shares. */
export async function openRequests(options: RequestsOptions, resources: AsyncDisposableStack): Promise<Requests> {
  const { settings, folders, connection } = options
  const service = await openService(settings, folders, resources)
  const parser = resources.use(
    new HttpParser({
      baseUrl: new URL(service.url),
      apiKey: service.apiKey,
      concurrency: settings.concurrency,
      userAgent: 'sluice',
      service: service.name,
    }),
  )
  const gate = resources.use(
    await openGate({
      redis: connection,
      // An engine of our own listens on another port each time, and knows no other limit than its processes.
      keyDigest: gateDigest(service.free ? `engine ${options.pipeline}` : service.url, service.apiKey),
      windowMs: settings.rateWindowMs,
      budgets: service.free ? [] : budgetsOf(settings),
      ceilings: {
        requestsPerWindow: settings.rate ?? null,
        concurrency: service.free ? settings.engineProcesses : (settings.apiConcurrency ?? null),
      },
    }),
  )
  return {
    parser,
    gate,
    free: service.free,
    gateLine: async () => (service.free ? null : gateLine(await gate.state())),
  }
}

/** Each process that is told `--max-credits` is a run of its own; a run that goes on tomorrow is another one. */
function budgetsOf({ maxCredits, monthlyCredits }: Settings): Budget[] {
  return [
    { per: 'run', run: randomUUID(), limitCredits: maxCredits ?? null },
    { per: 'month', limitCredits: monthlyCredits ?? null },
  ]
}

/** Pages are only counted where they cost something. */
export function pageCounting(free: boolean, resources: AsyncDisposableStack): IngestDeps['countPages'] {
  if (free) return async () => null
  const counter = resources.use(new PageCounter())
  return async (read, extension, signal) => (extension === 'pdf' ? counter.count(read.reread(signal), signal) : null)
}

export function priceWith(free: boolean, { prices: set }: Pick<Settings, 'prices'>): IngestDeps['price'] {
  const prices = free ? FREE : set
  return (recipe, extension, pages) => creditsFor(recipe.options, extension, pages, prices)
}

/** From the learned rate and places of the service's gate, whichever is slower. */
export async function estimateMs(
  requests: number,
  settings: Settings,
  connection: RedisConnection,
): Promise<number | null> {
  if (settings.parseApiUrl === undefined) return null
  const keyDigest = gateDigest(settings.parseApiUrl, settings.parseApiKey ?? '')
  await using gate = await openGate({ redis: connection, keyDigest, windowMs: settings.rateWindowMs })
  const { rate, places, serviceMs, windowMs } = await gate.state()
  const byRateMs = rate === null ? 0 : (requests / rate.perWindow) * windowMs
  const byPlacesMs = serviceMs === null ? 0 : (requests * serviceMs) / places.count
  return rate === null && serviceMs === null ? null : Math.max(byRateMs, byPlacesMs)
}
