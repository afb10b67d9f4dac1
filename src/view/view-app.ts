import { readFile } from 'node:fs/promises'
import { type Context, Hono } from 'hono'
import { html } from 'hono/html'
import { sourceKey } from '#src/document/ids.ts'
import type { StoreSource } from '#src/document/store-manifest.ts'
import type { OutputStore } from '#src/ports.ts'
import { citedPage, readCitation } from './citation.ts'
import type { DocumentIndex } from './document-index.ts'
import { CONTENT_HEADERS, PAGE_HEADERS } from './headers.ts'
import type { LivePipeline } from './live.ts'
import { documentPage } from './pages/document.ts'
import { documentsPage } from './pages/documents.ts'
import { failuresPage } from './pages/failures.ts'
import { type Markup, page } from './pages/layout.ts'
import { overviewPage } from './pages/overview.ts'
import { shownDocument, type ShownDocument } from './read-blocks.ts'
import { readQuery } from './read-query.ts'
import { renderHtml, renderMarkdown } from './render-markdown.ts'
import { sourceFile } from './source-file.ts'

export interface ViewOptions {
  readonly store: OutputStore
  readonly sources: readonly StoreSource[]
  readonly index: DocumentIndex
  /** A PNG of a page of a PDF; null where it cannot be drawn. */
  readonly draw: (request: {
    readonly path: string
    readonly page: number
    readonly dpi: number
  }) => Promise<Uint8Array | null>
  /** Null where no source is known for the store. */
  readonly live: LivePipeline | null
  readonly allowWrites: boolean
  /** Does documents with this failure code again; null where the source is not known. */
  readonly retry: ((code: string) => void) | null
  readonly retryCommand: (code: string) => string | null
  /** Called with what went wrong while an answer was made. */
  readonly onError: (error: unknown) => void
}

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

/** Longest side of a drawn page, in pixels. */
const LONGEST_SIDE = 1_600

const HIGHEST_DPI = 120

/** Sizes of pages are pixels at this many dots an inch. */
const SIZE_DPI = 144

const A4_HEIGHT = 1_684

/** Pages and API below `/<token>`; whether a request may be answered at all is decided before (`guard.ts`). */
export function viewApp(options: ViewOptions): Hono {
  const app = new Hono({ strict: false }).basePath('/:token')
  const { index, store, live } = options
  const frame = (c: Context): { readonly base: string; readonly store: string } => ({
    base: `/${c.req.param('token') ?? ''}`,
    store: store.url,
  })
  const respond = async (c: Context, markup: Markup, status: 200 | 404 = 200): Promise<Response> =>
    c.html(await markup, status, PAGE_HEADERS)
  const paramsOf = (c: Context): URLSearchParams => new URL(c.req.url).searchParams

  app.get('/', (c) => {
    const { allowWrites } = options
    return respond(c, overviewPage({ ...frame(c), index, hasLive: live !== null, allowWrites }))
  })
  app.get('/documents', (c) => respond(c, documentsPage({ ...frame(c), index, params: paramsOf(c) })))
  app.get('/failures', (c) => {
    const canRetry = options.allowWrites && options.retry !== null
    return respond(c, failuresPage({ ...frame(c), index, canRetry, retryCommand: options.retryCommand }))
  })
  app.get('/document', async (c) => {
    const params = paramsOf(c)
    const key = sourceKey(params.get('key') ?? '')
    const [shown, letter] = await Promise.all([shownDocument(key, store), store.readDeadLetter(key)])
    if (shown === null && letter === null) return respond(c, missing(frame(c), key), 404)
    const citation = readCitation(params)
    const asked = Math.floor(Number(params.get('page') ?? citedPage(citation, shown?.blocks ?? [])))
    const pageNumber = Math.max(1, Math.min(100_000, asked || 1))
    const preview = shown === null ? 'none' : await previewOf(shown, options)
    return respond(c, documentPage({ ...frame(c), key, shown, letter, pageNumber, preview, citation }))
  })
  addContent(app, options)
  addApi(app, options)
  app.get('/assets/:name', async (c) => {
    const name = c.req.param('name')
    const type = ASSETS[name]
    if (type === undefined) return c.text('not found', 404, PAGE_HEADERS)
    const body = await readFile(new URL(`assets/${name}`, import.meta.url))
    return c.body(new Uint8Array(body), 200, { ...PAGE_HEADERS, 'content-type': type })
  })
  app.notFound((c) => c.text('not found', 404, PAGE_HEADERS))
  // What went wrong may name a path; it is said to the person who started the server, and to no page.
  app.onError((error, c) => {
    options.onError(error)
    return c.text('this page could not be made; the terminal of "sluice view" says why', 500, PAGE_HEADERS)
  })
  return app
}

const missing = (frame: { readonly base: string; readonly store: string }, key: string): Markup =>
  page(
    { ...frame, title: 'Not found', current: 'documents' },
    html`<h1>Not found</h1>
      <p>The store has no document <code>${key}</code>.</p>`,
  )

async function previewOf({ record }: ShownDocument, { sources }: ViewOptions): Promise<'pages' | 'html' | 'none'> {
  const isPdf = /\.pdf$/i.test(record.key)
  if (!isPdf && !/\.x?html?$/i.test(record.key)) return 'none'
  if ((await sourceFile(record, sources)) === null) return 'none'
  return isPdf ? 'pages' : 'html'
}

/** What comes from documents: in frames that run nothing, and pictures of pages. */
function addContent(app: Hono, { store, sources, draw }: ViewOptions): void {
  const content = (c: Context, body: string): Response => {
    const base = `/${c.req.param('token') ?? ''}`
    const head = `<!doctype html><meta charset="utf-8"><link rel="stylesheet" href="${base}/assets/content.css">`
    return c.html(`${head}<body><article>${body}</article>`, 200, CONTENT_HEADERS)
  }
  const recordOf = (c: Context) => store.readRecord(sourceKey(new URL(c.req.url).searchParams.get('key') ?? ''))

  app.get('/content/markdown', async (c) => {
    const params = new URL(c.req.url).searchParams
    const markdown = await store.readOutput(sourceKey(params.get('key') ?? ''), 'document.md')
    if (markdown === null) return content(c, '<p>It was parsed without Markdown.</p>')
    return content(c, renderMarkdown(markdown.toString('utf8'), readCitation(params).spans))
  })
  app.get('/content/source', async (c) => {
    const record = await recordOf(c)
    const path = record === null ? null : await sourceFile(record, sources)
    if (path === null) return content(c, '<p>The source is not here.</p>')
    return content(c, renderHtml((await readFile(path)).toString('utf8')))
  })
  app.get('/page.png', async (c) => {
    const record = await recordOf(c)
    const path = record === null || !/\.pdf$/i.test(record.key) ? null : await sourceFile(record, sources)
    const number = Math.floor(Number(new URL(c.req.url).searchParams.get('page') ?? 1)) || 1
    const drawn =
      path === null || record === null ? null : await draw({ path, page: number, dpi: await dpiOf(record.key) })
    if (drawn === null) return c.text('this page cannot be drawn', 404, PAGE_HEADERS)
    return c.body(new Uint8Array(drawn), 200, { ...PAGE_HEADERS, 'content-type': 'image/png' })
  })

  /** Less for large pages: a hostile one may be metres wide. */
  const dpiOf = async (key: string): Promise<number> => {
    const shown = await shownDocument(sourceKey(key), store)
    const sides = (shown?.blocks ?? []).flatMap(({ width, height }) => [width ?? 0, height ?? 0])
    const longest = sides.reduce((most, side) => Math.max(most, side), A4_HEIGHT)
    return Math.max(10, Math.min(HIGHEST_DPI, Math.floor((LONGEST_SIDE * SIZE_DPI) / longest)))
  }
}

function addApi(app: Hono, { index, live, allowWrites, retry }: ViewOptions): void {
  app.get('/api/documents', (c) => c.json(index.find(readQuery(new URL(c.req.url).searchParams)), 200, PAGE_HEADERS))
  app.get('/api/live', async (c) => {
    if (live === null) return c.json({ error: 'no source is known for this store' }, 404, PAGE_HEADERS)
    return c.json(await live.status(), 200, PAGE_HEADERS)
  })
  app.get('/api/history', (c) => c.json({ samples: live?.history() ?? [] }, 200, PAGE_HEADERS))
  app.post('/actions/:name', async (c) => {
    if (!allowWrites) return c.text('start "sluice view" with --allow-writes to do that', 403, PAGE_HEADERS)
    const form = await c.req.parseBody()
    const name = c.req.param('name')
    if (name === 'pause' && live !== null) await (form['do'] === 'resume' ? live.resume() : live.pause())
    else if (name === 'retry' && retry !== null && typeof form['code'] === 'string') retry(form['code'])
    else return c.text('not found', 404, PAGE_HEADERS)
    const back = `/${c.req.param('token') ?? ''}/${name === 'retry' ? 'failures' : ''}`
    return c.body(null, 303, { ...PAGE_HEADERS, location: back })
  })
}
