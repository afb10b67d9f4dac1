import { z } from 'zod'

/*
 * Schemas of requests and answers of the API. They generate the description (openapi.ts), validate requests and filter
 * answers. The live part is in live.ts.
 */

/** Number of lines per page of the list. */
export const PAGE_LINES = 100

export const SORTS = ['key', 'at', 'credits', 'pages', 'grade', 'bytes'] as const

export type Sort = (typeof SORTS)[number]

const text = z.string().max(500)
const date = z.string().regex(/^\d{4}-\d\d-\d\d$/)

export const noParams = z.object({})

/** Parameters of the list of documents; an absent one does not filter. */
export const documentsParams = z.object({
  q: text.optional().describe('part of the key; case is ignored'),
  outcome: text.optional().describe('done, partial, failed or gone'),
  code: text.optional().describe('failure code'),
  format: text.optional().describe('extension, in lower case'),
  parser: text.optional().describe('embedded, service or passthrough'),
  grade: z.coerce.number().min(0).max(100).optional().describe('only grades below this, in percent'),
  credits: z.coerce.number().min(0).optional().describe('only documents that cost at least this many credits'),
  from: date.optional().describe('finished on this day or later, 2026-11-22, UTC'),
  to: date.optional().describe('finished on this day or earlier, 2026-11-22, UTC'),
  sort: z
    .enum(SORTS)
    .optional()
    .describe(`${SORTS.join(', ')}; default: key`),
  order: z.enum(['asc', 'desc']).optional().describe('asc or desc; default: asc'),
  page: z.coerce.number().int().min(1).max(1_000_000).optional().describe(`from 1; ${PAGE_LINES} documents each`),
})

export type DocumentsParams = z.infer<typeof documentsParams>

const count = z.int().min(0)

const documentRow = z.object({
  key: z.string(),
  outcome: z.enum(['done', 'partial', 'failed', 'gone']),
  code: z.string().describe('failure code; empty unless failed'),
  format: z.string(),
  parser: z.string(),
  credits: z.number(),
  pages: count.nullable(),
  grade: z.number().nullable().describe('0 to 1'),
  bytes: count.nullable(),
  at: z.string().describe('ISO 8601, UTC'),
  note: z.string().describe('reason why the document failed or is partial'),
})

/** A line of the list of documents. */
export type DocumentRow = Readonly<z.infer<typeof documentRow>>

export const documentsAnswer = z.object({ rows: z.array(documentRow), total: count })

const facet = z.array(z.object({ value: z.string(), count }))

export const storeAnswer = z.object({
  store: z.string().describe('address of the store'),
  isIndexed: z.boolean().describe('false until the store has been read once'),
  documents: count,
  pages: count,
  credits: z.number(),
  outcomes: facet,
  codes: facet,
  formats: facet,
  parsers: facet,
})

export const keyParams = z.object({ key: z.string().min(1).max(4_096).describe('source key') })

/** A block in `blocks.jsonl`; wrong values of a damaged line become null. */
export const block = z.object({
  pageNumber: z.int().min(1),
  width: z.number().positive().nullable().catch(null),
  height: z.number().positive().nullable().catch(null),
  status: z.string().catch(''),
  id: z.string(),
  type: z.string(),
  bbox: z.tuple([z.number(), z.number(), z.number(), z.number()]).nullable().catch(null),
  content: z.string().catch(''),
  markdownSpan: z.tuple([count, count]).nullable().catch(null),
  readingOrder: z.number().catch(0),
  confidence: z
    .object({ layout: z.number().nullable().catch(null), ocr: z.number().nullable().catch(null) })
    .catch({ layout: null, ocr: null }),
})

export const documentAnswer = z.object({
  record: z
    .looseObject({ key: z.string() })
    .nullable()
    .describe('docs/schemas/record.schema.json; null if the document has only failed'),
  failure: z.looseObject({ key: z.string() }).nullable().describe('docs/schemas/dead-letter.schema.json'),
  blocks: z.array(block),
})

export const receiptsAnswer = z.object({
  receipts: z.array(z.object({ id: z.string(), savedAt: z.string(), isInUse: z.boolean() })),
})

export const failuresAnswer = z.object({
  codes: z.array(
    z.object({
      code: z.string(),
      count,
      remedy: z.string(),
      retryCommand: z.string().nullable(),
      examples: z.array(documentRow),
    }),
  ),
})

export const errorAnswer = z.object({ error: z.string() })

/** Number of chunks per page of a document's list. */
export const PAGE_CHUNKS = 50

const key = keyParams.shape.key

/** Parameters of the list of a document's chunks. */
export const chunksParams = z.object({
  key,
  page: z.coerce.number().int().min(1).max(1_000_000).optional().describe(`from 1; ${PAGE_CHUNKS} chunks each`),
  chunk: z.coerce.number().int().min(1).max(100_000_000).optional().describe('from 1; opens its page of the list'),
})

const chunk = z.object({
  id: z.string(),
  document: z.string().describe('source key'),
  documentTitle: z.string().nullable().describe('as the document states it'),
  address: z.string().nullable().describe('of its page on the web'),
  kind: z.enum(['text', 'table', 'figure', 'page']),
  index: count.describe('among the chunks of its document, from 0'),
  tokens: count,
  title: z.string().nullable().describe('first heading of the document'),
  headings: z.array(z.string()),
  caption: z.string().nullable(),
  pages: z.array(count),
  boxes: z.array(z.object({ page: count, bbox: z.array(z.number()) })),
  sheet: z.string().nullable(),
  anchors: z.array(z.looseObject({})),
  markdownSpan: z.array(count).describe('[start, end) in UTF-16 units of document.md'),
  body: z.string(),
  receipts: z.array(z.string()),
  grade: z.number().nullable(),
  outcome: z.enum(['done', 'partial']),
  link: z.string().describe('its place in the document, relative to the address of the console'),
})

export const chunksAnswer = z.object({
  total: count.describe('number of chunks of the document'),
  chunks: z.array(chunk),
})

/** Maximum length of a question. */
const MAX_QUESTION = 10_000

const question = z.string().min(1).max(MAX_QUESTION).describe(`a question, at most ${MAX_QUESTION} characters`)

/** Parameters of the search page. */
export const searchPageParams = z.object({ q: question.optional() })

export const searchParams = z.object({
  q: question,
  limit: z.coerce.number().int().min(1).max(100).optional().describe('1 to 100; default: 20'),
  group: z.enum(['document']).optional().describe('document: the best hit of each document alone'),
  where: text.optional().describe("a condition on columns, as of sluice search: document = 'a.pdf'"),
})

export const searchAnswer = z.object({
  hits: z.array(
    chunk.extend({
      rank: z.int().min(1),
      score: z.number().describe('BM25'),
      snippet: z.object({ text: z.string(), marks: z.array(z.array(count)).describe('ranges of text that match') }),
    }),
  ),
  more: z.boolean().describe('true if further chunks match'),
  ignoredWords: count.describe('words beyond the limit of 64'),
  coverage: z.object({
    documents: count.describe('searched documents'),
    missingPages: count,
    unread: z.object({ partial: count, failed: count, no_markdown: count, damaged: count, gone: count }),
    examples: z.array(z.object({ document: z.string(), reason: z.string() })),
  }),
})
