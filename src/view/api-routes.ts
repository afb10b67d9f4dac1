import type { Context, Hono } from 'hono'
import type { z } from 'zod'
import type { ProvenChunk } from '#src/corpus/search/prove-chunk.ts'
import { parseSearchWhere } from '#src/corpus/search/search-where.ts'
import { viewLink } from '#src/corpus/search/view-link.ts'
import { sourceKey } from '#src/document/ids.ts'
import { SetupError } from '#src/document/setup-error.ts'
import { PAGE_CHUNKS } from './api-schemas.ts'
import type { Indexing } from './console-search.ts'
import { PAGE_HEADERS } from './headers.ts'
import { openapi, OPERATIONS } from './openapi.ts'
import { shownDocument } from './read-blocks.ts'
import { firstOf, noChunks } from './chunk-list.ts'
import { paramsOf, queryOf, readParams } from './read-query.ts'
import { receiptsFor } from './receipts.ts'
import { failuresByCode } from './remedies.ts'
import type { ViewOptions } from './view-options.ts'

type Path = keyof typeof OPERATIONS

/** The API: the endpoints of the description, and the actions of the pages' buttons. */
export function addApi(app: Hono, options: ViewOptions): void {
  app.get('/api/openapi.json', (c) => c.json(openapi(options.version), 200, PAGE_HEADERS))
  addStore(app, options)
  addDocuments(app, options)
  addSearch(app, options)
  addLive(app, options)
  addActions(app, options)
}

const refuse = (c: Context, status: 400 | 404 | 503, error: string): Response => c.json({ error }, status, PAGE_HEADERS)

type Frozen<T> = T extends readonly (infer Item)[]
  ? readonly Frozen<Item>[]
  : T extends object
    ? { readonly [Key in keyof T]: Frozen<T[Key]> }
    : T

/** An answer of an endpoint, or its refusal. */
type Reply<P extends Path> =
  | { readonly kind: 'ok'; readonly value: Frozen<z.input<(typeof OPERATIONS)[P]['answer']>> }
  | { readonly kind: 'refused'; readonly status: 400 | 404 | 503; readonly error: string }

const ok = <Value>(value: Value) => ({ kind: 'ok', value }) as const
const refused = <Status extends 400 | 404 | 503>(status: Status, error: string) =>
  ({ kind: 'refused', status, error }) as const

/**
 * Adds an endpoint of the description: refuses other parameters, and filters the answer through its schema, which drops
 * undocumented fields.
 */
function endpoint<P extends Path>(
  app: Hono,
  path: P,
  work: (params: z.output<(typeof OPERATIONS)[P]['params']>) => Reply<P> | Promise<Reply<P>>,
): void {
  const { params, answer } = OPERATIONS[path]
  app.get(path, async (c) => {
    const parsed = readParams(params, paramsOf(c))
    if (parsed.kind === 'wrong') return refuse(c, 400, parsed.error)
    const reply = await work(parsed.values as z.output<(typeof OPERATIONS)[P]['params']>)
    if (reply.kind === 'refused') return refuse(c, reply.status, reply.error)
    return c.json(answer.parse(reply.value), 200, PAGE_HEADERS)
  })
}

function addStore(app: Hono, { index, store, isIndexed, retryCommand }: ViewOptions): void {
  endpoint(app, '/api/store', () => {
    const facet = (column: Parameters<typeof index.facet>[0]) => [...index.facet(column)]
    const facets = {
      outcomes: facet('outcome'),
      codes: facet('code'),
      formats: facet('format'),
      parsers: facet('parser'),
    }
    return ok({ store: store.url, isIndexed: isIndexed(), ...index.totals(), ...facets })
  })
  endpoint(app, '/api/failures', () => ok({ codes: failuresByCode({ index, retryCommand }) }))
}

function addDocuments(app: Hono, { index, store }: ViewOptions): void {
  endpoint(app, '/api/documents', (params) => {
    const { rows, total } = index.find(queryOf(params))
    return ok({ rows: [...rows], total })
  })
  endpoint(app, '/api/document', async ({ key: name }) => {
    const key = sourceKey(name)
    const [shown, failure] = await Promise.all([shownDocument(key, store), store.deadLetters.read(key)])
    if (shown === null && failure === null) return refused(404, 'the store has no such document')
    const blocks = [...(shown?.blocks ?? [])]
    return ok({
      record: shown === null ? null : { ...shown.record },
      failure: failure && { ...failure },
      blocks,
    })
  })
  endpoint(app, '/api/receipts', async ({ key }) => {
    const record = await store.documents.read(sourceKey(key))
    if (record === null) return refused(404, 'the store has no record of this document')
    return ok({ receipts: [...(await receiptsFor(record, store))] })
  })
}

const indexing = ({ documents }: Indexing) =>
  refused(503, `the index is being built: ${documents} documents so far; ask again in a moment`)

function addSearch(app: Hono, { search }: ViewOptions): void {
  endpoint(app, '/api/chunks', async ({ key, page, chunk }) => {
    const found = await search.chunks(key, firstOf({ page, chunk }), PAGE_CHUNKS)
    if (found.kind === 'indexing') return indexing(found)
    if (found.status !== 'read') return refused(404, noChunks(found.status))
    return ok({ total: found.total, chunks: found.chunks.map(withLink) })
  })
  endpoint(app, '/api/search', async ({ q, limit = 20, group, where }) => {
    const test = where === undefined ? null : conditionOf(where)
    if (typeof test === 'string') return refused(400, test)
    const found = await search.answer(q, { limit, where: test, byDocument: group === 'document' })
    if (found.kind === 'indexing') return indexing(found)
    const { hits, hasWords, ...answer } = found.answer
    if (!hasWords) return refused(400, 'the question has no word to search for')
    return ok({ ...answer, hits: hits.map(withLink) })
  })
}

/** The message for a wrong condition. */
function conditionOf(where: string): ReturnType<typeof parseSearchWhere> | string {
  try {
    return parseSearchWhere(where)
  } catch (error) {
    if (error instanceof SetupError) return error.message.replace(/^--/, '')
    throw error
  }
}

const withLink = <Chunk extends ProvenChunk>(chunk: Chunk) => ({ ...chunk, link: viewLink('', chunk) })

function addLive(app: Hono, { live }: ViewOptions): void {
  endpoint(app, '/api/live', async () => {
    if (live === null) return refused(404, 'the source of this store is unknown: start "sluice view SOURCE --out …"')
    return ok(await live.status())
  })
  endpoint(app, '/api/history', () => ok({ samples: [...(live?.history() ?? [])] }))
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
