import type { Settings } from '#config/settings.ts'
import { creditsFor, DEFAULT_PRICES, FREE } from '#src/contract/price.ts'
import type { IngestDeps } from '#src/ingest/deps.ts'
import { gateLine } from '#src/gate/gate-line.ts'
import { gateDigest, openGate } from '#src/gate/open-gate.ts'
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

export function priceWith(free: boolean): IngestDeps['price'] {
  const prices = free ? FREE : DEFAULT_PRICES
  return (recipe, extension, pages) => creditsFor(recipe.options, extension, pages, prices)
}
