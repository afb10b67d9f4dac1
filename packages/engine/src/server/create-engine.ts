import { availableParallelism } from 'node:os'
import type { AddressInfo } from 'node:net'
import multipart from '@fastify/multipart'
import fastify, { LogController, type FastifyInstance } from 'fastify'
import { MAX_FILE_BYTES, DEFAULT_PRICES } from '@sluice/contract'
import { ConversionPool } from '../children/conversion-pool.ts'
import type { EngineOptions } from './engine-options.ts'
import { Accounts } from '../limits/accounts.ts'
import { LanguageStore } from '../languages/language-store.ts'
import { ConcurrencyGate } from '../limits/concurrency-gate.ts'
import { addAdmission } from './admission.ts'
import { addBrowserGuard, isLoopback } from './browser-guard.ts'
import { Drain } from './drain.ts'
import { handleError, handleNotFound, refuseMethod, stateMethod } from './error-handler.ts'
import { formatsRoute } from './formats-route.ts'
import { mapRoute } from './map-route.ts'
import { parseRoute } from './parse-route.ts'
import { scrapeRoute, type ScrapeRouteParts } from './scrape-route.ts'
import { addTeamRoutes } from './team-routes.ts'
import { WorkFolder } from './work-folder.ts'

/** Disposal aborts running requests, and removes every file of the engine. */
export interface Engine extends AsyncDisposable {
  /** Base address, `http://127.0.0.1:4444`. For a unix socket, its path after `unix:`. */
  readonly url: string
  /** Refuses new requests and waits for those in flight, for at most `graceMs`. */
  drain(graceMs: number, cut: AbortSignal): Promise<void>
}

/** Timeout for a client to send a request, headers and body, in milliseconds. */
const UPLOAD_TIMEOUT_MS = 600_000
const MAX_OPTIONS_BYTES = 1024 ** 2

function urlOf(app: FastifyInstance): string {
  const address: AddressInfo | string | null = app.server.address()
  if (address === null) throw new Error('the engine is not listening')
  if (typeof address === 'string') return `unix:${address}`
  return `http://${address.family === 'IPv6' ? `[${address.address}]` : address.address}:${address.port}`
}

function createApp(options: EngineOptions): FastifyInstance {
  const app = fastify({
    logger: { level: options.logLevel ?? 'silent', stream: process.stderr },
    logController: new LogController({ disableRequestLogging: true }),
    requestTimeout: UPLOAD_TIMEOUT_MS,
    forceCloseConnections: true,
  })
  app.register(multipart, {
    limits: { fileSize: options.maxFileBytes ?? MAX_FILE_BYTES, files: 2, fields: 20, fieldSize: MAX_OPTIONS_BYTES },
    throwFileSizeLimit: false,
    // A Blob in `options` carries a file name, but remains the options.
    isPartAFile: (field, contentType, fileName) =>
      field !== 'options' && (fileName !== undefined || contentType === 'application/octet-stream'),
  })
  app.setErrorHandler(handleError)
  app.setNotFoundHandler(handleNotFound)
  return app
}

function addRoutes(app: FastifyInstance, parts: ScrapeRouteParts): void {
  app.post('/v2/parse', parseRoute(parts))
  app.post('/v2/scrape', scrapeRoute(parts))
  app.post('/v2/map', mapRoute(parts))
  addTeamRoutes(app, parts.children)
  for (const url of ['/v2/parse', '/v2/scrape', '/v2/map']) {
    app.route({ method: ['GET', 'PUT', 'PATCH', 'DELETE'], url, handler: refuseMethod('POST') })
    app.options(url, stateMethod('POST'))
  }
  app.get('/v2/parse/formats', formatsRoute)
  app.route({ method: ['POST', 'PUT', 'PATCH', 'DELETE'], url: '/v2/parse/formats', handler: refuseMethod('GET') })
  app.options('/v2/parse/formats', stateMethod('GET'))
}

/** Null without a folder. The engine then fetches no languages. */
function languagesOf({ languagesFolder, notify, childEnv }: EngineOptions): LanguageStore | null {
  if (languagesFolder === undefined) return null
  return new LanguageStore({ folder: languagesFolder, notify: notify ?? (() => undefined), env: childEnv })
}

/**
 * Starts Sluice's own server of `POST /v2/parse` (the complete contract). Rejects with a sentence if a converter cannot
 * be loaded.
 */
export async function createEngine(options: EngineOptions = {}): Promise<Engine> {
  const workFolder = await WorkFolder.open(options.temporaryFolder)
  const pool = new ConversionPool(options)
  const app = createApp(options)
  const close = async (): Promise<void> => {
    await app.close()
    await pool[Symbol.asyncDispose]()
    await workFolder[Symbol.asyncDispose]()
  }
  const { host = '127.0.0.1', port = 0, socketPath, keys } = options
  const drain = new Drain()
  addBrowserGuard(app, keys === undefined && socketPath === undefined && isLoopback(host))
  drain.addTo(app)
  addAdmission(app, new Accounts(keys ?? null))
  addRoutes(app, {
    pool,
    workFolder,
    children: new ConcurrencyGate(options.children ?? availableParallelism(), 'queue'),
    prices: options.prices ?? DEFAULT_PRICES,
    model: options.model ?? null,
    passwords: options.passwords ?? [],
    cacheFolder: workFolder.cachePath,
    languages: languagesOf(options),
    ocrLanguages: options.ocrLanguages ?? null,
    hiddenSheets: options.hiddenSheets ?? false,
    allowPrivateAddresses: options.allowPrivateAddresses ?? false,
    ...(options.network === undefined ? {} : { network: options.network }),
    maxFileBytes: options.maxFileBytes ?? MAX_FILE_BYTES,
  })
  try {
    await pool.start()
    await app.listen(socketPath === undefined ? { host, port } : { path: socketPath })
  } catch (error) {
    await close()
    throw error
  }
  return { url: urlOf(app), drain: (graceMs, cut) => drain.start(graceMs, cut), [Symbol.asyncDispose]: close }
}
