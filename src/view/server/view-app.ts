import { extensionOf, isPaged } from '@sluice/contract'
import { readFile } from 'node:fs/promises'
import { type Context, Hono } from 'hono'
import { html } from 'hono/html'
import { sourceKey } from '#src/document/ids.ts'
import type { DocumentRecord } from '#src/document/record.ts'
import type { OutputStore } from '#src/ports/output-store.ts'
import { chunksParams, documentsParams, PAGE_CHUNKS, searchPageParams } from '../api-schemas.ts'
import { citedPage, readCitation } from '../citation.ts'
import { firstOf } from '../chunk-list.ts'
import { chunksPage } from '../pages/chunks.ts'
import { PAGE_HEADERS } from '../headers.ts'
import { documentPage, type Preview } from '../pages/document.ts'
import { documentsPage } from '../pages/documents.ts'
import { failuresPage } from '../pages/failures.ts'
import { type Markup, page, revealedPage, type StoreFrame, wrongAddress } from '../pages/layout.ts'
import { overviewPage } from '../pages/overview.ts'
import { searchPage } from '../pages/search.ts'
import { shownDocument, type ShownDocument } from '../read-blocks.ts'
import { paramsOf, readParams } from '../read-query.ts'
import { addApi } from '../api-routes.ts'
import { addContent } from '../content-routes.ts'
import { comparePage, type Side } from '../pages/compare.ts'
import { differingLines, receiptsFor, shownReceipt } from '../receipts.ts'
import { EXAMPLES, failuresByCode } from '../remedies.ts'
import { sourceFile, sourcePath } from '../source-file.ts'
import type { ViewOptions } from '../view-options.ts'

const ASSETS: Readonly<Record<string, string>> = {
  'view.css': 'text/css; charset=utf-8',
  'content.css': 'text/css; charset=utf-8',
  'view.js': 'text/javascript; charset=utf-8',
  'live.js': 'text/javascript; charset=utf-8',
  'charts.js': 'text/javascript; charset=utf-8',
  'elements.js': 'text/javascript; charset=utf-8',
  'blocks.js': 'text/javascript; charset=utf-8',
  'icon.svg': 'image/svg+xml',
}

/** Pages and API below `/<token>`; `guard.ts` admits or refuses a request first. */
export function viewApp(options: ViewOptions): Hono {
  const app = new Hono({ strict: false }).basePath('/:token')
  const { index, store, live } = options
  const frame = (c: Context): StoreFrame => ({
    base: `/${c.req.param('token') ?? ''}`,
    store: store.url,
  })
  const respond = async (c: Context, markup: Markup, status: 200 | 400 | 404 = 200): Promise<Response> =>
    c.html(revealedPage(String(await markup)), status, PAGE_HEADERS)

  app.get('/', (c) => {
    const { allowWrites } = options
    return respond(c, overviewPage({ ...frame(c), index, hasLive: live !== null, allowWrites }))
  })
  app.get('/failures', (c) => {
    const canRetry = options.allowWrites && options.retry !== null
    return respond(
      c,
      failuresPage({ ...frame(c), failures: failuresByCode(options), partials: index.partials(EXAMPLES), canRetry }),
    )
  })
  app.get('/document', async (c) => {
    const params = paramsOf(c)
    const key = sourceKey(params.get('key') ?? '')
    const [shown, letter] = await Promise.all([shownDocument(key, store), store.deadLetters.read(key)])
    if (shown === null && letter === null) return respond(c, missing(frame(c), key), 404)
    const citation = readCitation(params)
    const asked = Math.floor(Number(params.get('page') ?? citedPage(citation, shown?.blocks ?? [])))
    const pageNumber = Math.max(1, Math.min(100_000, asked || 1))
    const preview = shown === null ? 'none' : await previewOf(shown, options)
    return respond(c, documentPage({ ...frame(c), key, shown, letter, pageNumber, preview, citation }))
  })
  app.get('/compare', async (c) => {
    const params = paramsOf(c)
    const key = sourceKey(params.get('key') ?? '')
    const record = await store.documents.read(key)
    if (record === null) return respond(c, missing(frame(c), key), 404)
    const compared = await compare(record, params, store)
    return respond(c, comparePage({ ...frame(c), key, ...compared }))
  })
  addLists(app, options, { frame, respond })
  addContent(app, options)
  addApi(app, options)
  addAssets(app)
  app.notFound((c) => c.text('not found', 404, PAGE_HEADERS))
  // An error may name a path: it goes to the terminal of the server, never to a page.
  app.onError((error, c) => {
    options.onError(error)
    return c.text('this page failed; the terminal of "sluice view" shows the error', 500, PAGE_HEADERS)
  })
  return app
}

interface Responding {
  readonly frame: (c: Context) => StoreFrame
  readonly respond: (c: Context, markup: Markup, status?: 200 | 400 | 404) => Promise<Response>
}

/** Lists refuse an unknown or wrong parameter: without it they would show everything. */
function addLists(app: Hono, { index, search }: ViewOptions, { frame, respond }: Responding): void {
  app.get('/documents', (c) => {
    const params = paramsOf(c)
    const parsed = readParams(documentsParams, params)
    if (parsed.kind === 'values')
      return respond(c, documentsPage({ ...frame(c), index, params, values: parsed.values }))
    const wrong = { ...frame(c), title: 'Documents', current: 'documents', path: 'documents' } as const
    return respond(c, wrongAddress(wrong, parsed.error), 400)
  })
  app.get('/search', async (c) => {
    const parsed = readParams(searchPageParams, paramsOf(c))
    if (parsed.kind === 'wrong') {
      const wrong = { ...frame(c), title: 'Search', current: 'search', path: 'search' } as const
      return respond(c, wrongAddress(wrong, parsed.error), 400)
    }
    const { q: question = '' } = parsed.values
    const found = question.trim() === '' ? null : await search.answer(question)
    return respond(c, searchPage({ ...frame(c), question, found }))
  })
  app.get('/chunks', async (c) => {
    const parsed = readParams(chunksParams, paramsOf(c))
    if (parsed.kind === 'wrong') {
      const wrong = { ...frame(c), title: 'Chunks', current: 'documents', path: 'documents' } as const
      return respond(c, wrongAddress(wrong, parsed.error), 400)
    }
    const { key, chunk: marked = null } = parsed.values
    const from = firstOf(parsed.values)
    const found = await search.chunks(key, from, PAGE_CHUNKS)
    const isThere = found.kind === 'indexing' || found.status !== null
    return respond(c, chunksPage({ ...frame(c), key, from, marked, found }), isThere ? 200 : 404)
  })
}

function addAssets(app: Hono): void {
  app.get('/assets/:name', async (c) => {
    const name = c.req.param('name')
    const type = ASSETS[name]
    if (type === undefined) return c.text('not found', 404, PAGE_HEADERS)
    const body = await readFile(new URL(`assets/${name}`, import.meta.url))
    return c.body(new Uint8Array(body), 200, { ...PAGE_HEADERS, 'content-type': type })
  })
}

const missing = (frame: StoreFrame, key: string): Markup =>
  page(
    { ...frame, title: 'Not found', current: 'documents' },
    html`<h1>Not found</h1>
      <p>The store has no document <code>${key}</code>.</p>`,
  )

async function previewOf({ record }: ShownDocument, { sources }: ViewOptions): Promise<Preview> {
  const extension = extensionOf(record.key)
  const hasPages = extension !== null && isPaged(extension)
  if (!hasPages && !/\.x?html?$/i.test(record.key)) return 'none'
  if ((await sourceFile(record, sources)) === null) {
    return (await sourcePath(record, sources)) === null ? 'away' : 'changed'
  }
  return hasPages ? 'pages' : 'html'
}

/** Returns the receipts in the address; else the receipt in use and the latest other one. */
async function compare(record: DocumentRecord, params: URLSearchParams, store: OutputStore) {
  const receipts = await receiptsFor(record, store)
  const named = (name: string, at: number) => receipts.find(({ id }) => id === params.get(name)) ?? receipts[at]
  const read = async (name: string, at: number) => {
    const listed = named(name, at)
    return listed === undefined || receipts.length < 2 ? null : shownReceipt(listed, store)
  }
  const [left, right] = await Promise.all([read('left', 0), read('right', 1)])
  const side = (own: typeof left, other: typeof left): Side | null =>
    own === null
      ? null
      : { receipt: own, differing: other === null ? 0 : differingLines(own.markdown, other.markdown).length }
  return { receipts, left: side(left, right), right: side(right, left) }
}
