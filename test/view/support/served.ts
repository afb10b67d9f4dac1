import { join } from 'node:path'
import { openFolderStore } from '#src/outputs/folder/folder-store.ts'
import type { OutputStore } from '#src/ports/output-store.ts'
import { StoreSearch } from '#src/corpus/search/store-search.ts'
import { ConsoleSearch } from '#src/view/console-search.ts'
import { DocumentIndex } from '#src/view/document-index.ts'
import { renderHtml, renderMarkdown } from '#src/view/render-markdown.ts'
import { updateIndex } from '#src/view/update-index.ts'
import type { ViewOptions } from '#src/view/view-options.ts'
import { openViewServer } from '#src/view/server/view-server.ts'
import { tempFolder } from '../../support/temp-folder.ts'

export interface Served extends AsyncDisposable {
  readonly url: string
  readonly store: OutputStore
  readonly folder: string
  readonly errors: unknown[]
  readonly get: (path: string) => Promise<{ readonly status: number; readonly headers: Headers; readonly text: string }>
}

/** The pages over a store that `fill` made, without a process of their own. */
export async function serve(
  fill: (store: OutputStore, folder: string) => Promise<void>,
  options: Partial<ViewOptions> = {},
): Promise<Served> {
  await using resources = new AsyncDisposableStack()
  const folder = resources.use(await tempFolder())
  const path = join(folder.path, 'store')
  const store = options.store ?? (await openFolderStore({ path }))
  await fill(store, path)
  const index = resources.use(new DocumentIndex(':memory:'))
  await updateIndex(index, store, new AbortController().signal)
  const errors: unknown[] = []
  const onError = (error: unknown): unknown => errors.push(error)
  const search = new ConsoleSearch(
    resources.use(new StoreSearch(store, ':memory:')),
    new AbortController().signal,
    onError,
  )
  const server = resources.use(
    await openViewServer({
      port: 0,
      store,
      sources: [],
      index,
      search,
      draw: async () => null,
      render: async ({ kind, text, cited }) => (kind === 'html' ? renderHtml(text) : renderMarkdown(text, cited)),
      live: null,
      isIndexed: () => true,
      version: 'test',
      allowWrites: false,
      retry: null,
      retryCommand: (code) => `sluice retry --code ${code}`,
      onError,
      ...options,
    }),
  )
  const kept = resources.move()
  const get: Served['get'] = async (of) => {
    const answer = await fetch(new URL(of, server.url))
    return { status: answer.status, headers: answer.headers, text: await answer.text() }
  }
  return { url: server.url, store, folder: path, errors, get, [Symbol.asyncDispose]: () => kept.disposeAsync() }
}
