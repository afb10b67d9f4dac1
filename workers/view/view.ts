import { setTimeout as sleep } from 'node:timers/promises'
import { childEnvironment } from '#config/child-environment.ts'
import { packageVersion } from '#config/package-version.ts'
import { LimitedChild, PageDrawer } from '@sluice/engine/pages'
import type { OutputStore } from '#src/ports/output-store.ts'
import { StoreSearch } from '#src/corpus/search/store-search.ts'
import { ConsoleSearch } from '#src/view/console-search.ts'
import { RENDER_ENTRY } from '#src/view/content.ts'
import { DocumentIndex } from '#src/view/document-index.ts'
import type { RenderRequest } from '#src/view/content.ts'
import { updateIndex } from '#src/view/update-index.ts'
import { openViewServer, type ViewServer } from '#src/view/server/view-server.ts'
import { openServerOf } from '../settings/setting-errors.ts'
import { indexFileOf } from '../open/index-file.ts'
import { openStore } from '../open/open-store.ts'
import { type LiveOptions, livePipeline } from './view-live.ts'

export interface ViewOptions extends LiveOptions {
  readonly host: string
  readonly port: number
  readonly allowWrites: boolean
  /** Retries documents with a failure code. */
  readonly retry: ((code: string) => void) | null
  readonly retryCommand: (code: string) => string | null
  /** Called with errors of a page or of a read of the store. */
  readonly onError: (error: unknown) => void
}

/**
 * Least time between two updates of the index. After a slow update it is longer: updates take a twentieth of the time.
 */
const INDEX_EVERY_MS = 15_000
const REST = 20

/**
 * Measured: two million characters of prose take 5 s and 300 MB, a table of 500,000 characters 15 s and 1 GB, lists
 * nested 400 deep 7 s.
 */
const RENDER_LIMITS = { timeoutMs: 10_000, memoryBytes: 1024 ** 3 }

export interface View extends ViewServer {
  /** Resolves after the first read of the store. */
  readonly indexed: Promise<void>
}

/** Opens a store, its index and its pages. Works without Redis; a pipeline opens at the first request for its state. */
export async function openView(options: ViewOptions): Promise<View> {
  const { settings, onError } = options
  await using resources = new AsyncDisposableStack()
  const store = await openStore(settings, resources, { mustExist: true })
  const manifest = await store.manifest.read()
  const file = await indexFileOf(settings, store.url)
  const index = resources.use(new DocumentIndex(file))
  const stopping = new AbortController()
  const search = new ConsoleSearch(resources.use(new StoreSearch(store, file)), stopping.signal, onError)
  const env = childEnvironment({ web: false })
  const drawer = resources.use(new PageDrawer({ env }))
  const renderer = resources.use(
    new LimitedChild<RenderRequest, string>({ entry: RENDER_ENTRY, env, ...RENDER_LIMITS }),
  )
  const first = Promise.withResolvers<void>()
  let isIndexed = false
  void first.promise.then(() => (isIndexed = true))
  const indexing = keepUpdated(index, store, { first: first.resolve, onError }, stopping.signal)
  resources.defer(async () => {
    stopping.abort()
    await Promise.all([indexing, search.settled()])
  })
  const { host, port, allowWrites, retry, retryCommand } = options
  const server = resources.use(
    await openServerOf(`--port ${port} (--host ${host})`, () =>
      openViewServer({
        host,
        port,
        store,
        sources: manifest?.sources ?? [],
        index,
        search,
        draw: (request) => drawer.draw(request),
        render: async (request) => {
          const result = await renderer.run(request)
          return result.kind === 'done' ? result.output : null
        },
        live: livePipeline(options, resources),
        isIndexed: () => isIndexed,
        version: packageVersion(),
        allowWrites,
        retry,
        retryCommand,
        onError,
      }),
    ),
  )
  const kept = resources.move()
  return { url: server.url, indexed: first.promise, [Symbol.asyncDispose]: () => kept.disposeAsync() }
}

interface IndexListener {
  readonly first: () => void
  readonly onError: (error: unknown) => void
}

async function keepUpdated(
  index: DocumentIndex,
  store: OutputStore,
  listener: IndexListener,
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted) {
    const startedAt = performance.now()
    await updateIndex(index, store, signal).catch((error: unknown) => {
      if (!signal.aborted) listener.onError(error)
    })
    listener.first()
    const tookMs = performance.now() - startedAt
    await sleep(Math.max(INDEX_EVERY_MS, REST * tookMs), undefined, { signal, ref: false }).catch(() => undefined)
  }
}
