import type { Settings } from '#config/settings.ts'
import { DEFAULT_SERVICE } from '#src/client/rules.ts'
import { creditsFor, type Extension, FREE } from '@sluice/contract'
import type { Tier } from '#src/ingest/document/deps.ts'
import { ReadWindow } from '#src/ingest/document/read-window.ts'
import { openGate, type RedisGate } from '@sluice/limiter'
import type { PageCounter } from '@sluice/engine/pages'
import { MAX_REQUEST_MS } from '#src/client/timeouts.ts'
import { DIRECT_NETWORK } from '#src/parse/service-network.ts'
import { HttpParser } from '#src/parse/http-parser.ts'
import { WrappingParser } from '#src/parse/wrapping-parser.ts'
import { childEnvironment } from '#config/child-environment.ts'
import type { ImageWrapper } from '#src/ports/image-wrapper.ts'
import { type AccountCredits, creditsOf } from '#src/ledger/account-spending.ts'
import type { Parser } from '#src/ports/parser.ts'
import type { RedisConnection } from '#src/redis/connection.ts'
import { type Account, balanceOf, concurrencyLimitOf } from './account.ts'
import type { Service } from './open-service.ts'
import { ConcurrencyLimitWatch } from './concurrency-limit-watch.ts'
import { ServiceGate } from './service-gate.ts'
import { serviceNetworkOf } from '../settings/networks.ts'

export interface Requests {
  readonly service: Service
  readonly parser: Parser
  readonly gate: ServiceGate
  readonly readWindow: ReadWindow
  /** For the metrics. */
  readonly credits: () => Promise<AccountCredits>
  readonly account: () => Pick<Account, 'service' | 'creditsLeft'>
  /** Null with the embedded engine, whose limits are known. */
  readonly limitWatch: ConcurrencyLimitWatch | null
}

interface RequestsOptions {
  readonly settings: Settings
  readonly service: Service
  readonly connection: RedisConnection
}

/** Opens the client of the service, and the gate that all processes with the same key share. */
export async function openRequests(
  { settings, service, connection }: RequestsOptions,
  resources: AsyncDisposableStack,
): Promise<Requests> {
  const isAsked = !service.free && settings.apiConcurrency === undefined
  let limitWatch: ConcurrencyLimitWatch | null = null
  const client = resources.use(
    new HttpParser({
      baseUrl: () => new URL(service.url()),
      apiKey: service.apiKey,
      login: service.login,
      concurrency: settings.concurrency,
      userAgent: 'sluice',
      // The engine is on this machine and needs no proxy.
      network: service.free ? DIRECT_NETWORK : serviceNetworkOf(settings),
      service: service.name,
      ready: async (cut) => {
        await limitWatch?.known(cut)
        return service.ready(cut)
      },
      isLocal: service.free,
    }),
  )
  const parser = service.free ? client : new WrappingParser(client, imageWrapping(resources))
  const limiter = resources.use(
    await openGate({
      redis: connection,
      keyDigest: service.digest,
      windowMs: settings.rateWindowMs,
      // Half a minute for the work around a request.
      leaseMs: MAX_REQUEST_MS + 30_000,
      // Held requests keep their slots in the process: most stay free for other documents.
      maxHeld: Math.max(1, Math.min(16, Math.floor(settings.concurrency / 3))),
      ceilings: {
        requestsPerWindow: settings.rate ?? null,
        concurrency: service.free ? settings.engineProcesses : (settings.apiConcurrency ?? null),
      },
    }),
  )
  if (isAsked) limitWatch = resources.use(watchConcurrencyLimit(settings, limiter))
  const gate = new ServiceGate(limiter, settings.rateWindowMs)
  const balance = service.free ? () => null : balanceOf(settings)
  const named = Object.entries(settings.services).find(([, { url }]) => url === settings.parseApiUrl)
  return {
    service,
    account: () => ({ service: named?.[0] ?? DEFAULT_SERVICE, creditsLeft: balance() }),
    parser,
    gate,
    readWindow: new ReadWindow(() => performance.now()),
    credits: () => creditsOf(connection, service.digest),
    limitWatch,
  }
}

/** Opens the wrapper with the first image that a service refuses. */
function imageWrapping(resources: AsyncDisposableStack): () => Promise<ImageWrapper> {
  let opened: Promise<ImageWrapper & AsyncDisposable> | null = null
  resources.defer(async () => (await opened)?.[Symbol.asyncDispose]())
  const open = async () =>
    new (await import('@sluice/engine/pages')).ImageWrapper({ env: childEnvironment({ web: false }) })
  return () => (opened ??= open())
}

function watchConcurrencyLimit(settings: Settings, gate: RedisGate): ConcurrencyLimitWatch {
  return new ConcurrencyLimitWatch({
    read: (signal) => concurrencyLimitOf(settings, signal),
    onLimit: (limit) => gate.setPlacesCeiling(limit),
    leastMs: settings.rateWindowMs,
  })
}

/** Formats of several pages: a service without images gets a TIFF as a PDF. */
const isLong = (extension: Extension): boolean => ['pdf', 'tif', 'tiff'].includes(extension)

/** Counts pages only if they cost credits. */
export function pageCounting(free: boolean, resources: AsyncDisposableStack): Tier['countPages'] {
  if (free) return async () => null
  let counter: Promise<PageCounter> | null = null
  resources.defer(async () => (await counter)?.[Symbol.asyncDispose]())
  const open = async (): Promise<PageCounter> => new (await import('@sluice/engine/pages')).PageCounter()
  return async (read, extension, signal) =>
    isLong(extension) ? (await (counter ??= open())).count(read.reread(signal), signal) : null
}

export function priceWith(free: boolean, { prices: set }: Pick<Settings, 'prices'>): Tier['price'] {
  const prices = free ? FREE : set
  return (recipe, extension, pages) => creditsFor(recipe.options, extension, pages, prices)
}

/**
 * Charge for credits that a service reports. A service with a price of 0 and no other setting may report a private
 * unit: it stays free.
 */
export function chargeWith({ reportedCredit }: Pick<Settings, 'reportedCredit'>): Tier['charge'] {
  return (reported, modelled) => reported * (reportedCredit ?? (modelled === 0 ? 0 : 1))
}
