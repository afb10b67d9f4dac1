import type { Context, Hono } from 'hono'
import type { z } from 'zod'
import { keyParams } from './api-schemas.ts'
import { sourceKey, type SourceKey } from '#src/document/ids.ts'
import { PAGE_HEADERS } from './headers.ts'
import { openapi, OPERATIONS } from './openapi.ts'
import { shownDocument } from './read-blocks.ts'
import { paramsOf, parseQuery } from './read-query.ts'
import { receiptsFor } from './receipts.ts'
import { failuresByCode } from './remedies.ts'
import type { ViewOptions } from './view-options.ts'

type Path = keyof typeof OPERATIONS

/** The API: the endpoints of the description, and the actions of the pages' buttons. */
export function addApi(app: Hono, options: ViewOptions): void {
  app.get('/api/openapi.json', (c) => c.json(openapi(options.version), 200, PAGE_HEADERS))
  addStore(app, options)
  addDocuments(app, options)
  addLive(app, options)
  addActions(app, options)
}

/** Filters an answer through its own schema, which drops undocumented fields. */
const send = <P extends Path>(c: Context, path: P, value: z.input<(typeof OPERATIONS)[P]['answer']>): Response =>
  c.json(OPERATIONS[path].answer.parse(value), 200, PAGE_HEADERS)
const refuse = (c: Context, status: 400 | 404, error: string): Response => c.json({ error }, status, PAGE_HEADERS)
const keyOf = (c: Context): SourceKey | null => {
  const parsed = keyParams.safeParse(Object.fromEntries(paramsOf(c)))
  return parsed.success ? sourceKey(parsed.data.key) : null
}

function addStore(app: Hono, { index, store, isIndexed, retryCommand }: ViewOptions): void {
  app.get('/api/store', (c) => {
    const facet = (column: Parameters<typeof index.facet>[0]) => [...index.facet(column)]
    const facets = {
      outcomes: facet('outcome'),
      codes: facet('code'),
      formats: facet('format'),
      parsers: facet('parser'),
    }
    return send(c, '/api/store', { store: store.url, isIndexed: isIndexed(), ...index.totals(), ...facets })
  })
  app.get('/api/failures', (c) => send(c, '/api/failures', { codes: failuresByCode({ index, retryCommand }) }))
}

function addDocuments(app: Hono, { index, store }: ViewOptions): void {
  app.get('/api/documents', (c) => {
    const parsed = parseQuery(paramsOf(c))
    if (parsed.kind === 'wrong') return refuse(c, 400, `these parameters are wrong: ${parsed.names.join(', ')}`)
    const { rows, total } = index.find(parsed.query)
    return send(c, '/api/documents', { rows: [...rows], total })
  })
  app.get('/api/document', async (c) => {
    const key = keyOf(c)
    if (key === null) return refuse(c, 400, 'key is missing')
    const [shown, failure] = await Promise.all([shownDocument(key, store), store.deadLetters.read(key)])
    if (shown === null && failure === null) return refuse(c, 404, 'the store has no such document')
    const blocks = [...(shown?.blocks ?? [])]
    return send(c, '/api/document', {
      record: shown === null ? null : { ...shown.record },
      failure: failure && { ...failure },
      blocks,
    })
  })
  app.get('/api/receipts', async (c) => {
    const key = keyOf(c)
    if (key === null) return refuse(c, 400, 'key is missing')
    const record = await store.documents.read(key)
    if (record === null) return refuse(c, 404, 'the store has no record of this document')
    return send(c, '/api/receipts', { receipts: [...(await receiptsFor(record, store))] })
  })
}

function addLive(app: Hono, { live }: ViewOptions): void {
  app.get('/api/live', async (c) => {
    if (live === null) return refuse(c, 404, 'the source of this store is unknown: start "sluice view SOURCE --out …"')
    return send(c, '/api/live', await live.status())
  })
  app.get('/api/history', (c) => send(c, '/api/history', { samples: [...(live?.history() ?? [])] }))
}

function addActions(app: Hono, { live, allowWrites, retry }: ViewOptions): void {
  app.post('/actions/:name', async (c) => {
    if (!allowWrites)
      return c.text('this server is read-only: start "sluice view" with --allow-writes', 403, PAGE_HEADERS)
    const form = await c.req.parseBody()
    const name = c.req.param('name')
    if (name === 'pause' && live !== null) await (form['do'] === 'resume' ? live.resume() : live.pause())
    else if (name === 'retry' && retry !== null && typeof form['code'] === 'string') retry(form['code'])
    else return c.text('not found', 404, PAGE_HEADERS)
    const back = `/${c.req.param('token') ?? ''}/${name === 'retry' ? 'failures' : ''}`
    return c.body(null, 303, { ...PAGE_HEADERS, location: back })
  })
}
