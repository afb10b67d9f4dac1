import { Ajv2020 } from 'ajv/dist/2020.js'
import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { expect, test } from 'vitest'
import { contentHash, receiptId, recipeHash, sourceKey } from '#src/document/ids.ts'
import type { OutputStore } from '#src/ports/output-store.ts'
import type { LivePipeline, LiveStatus } from '#src/view/live.ts'
import { openapi } from '#src/view/openapi.ts'
import { letterOf, outputs, recordOf, sha256 } from '../support/documents.ts'
import { serve } from './support/served.ts'

const PUBLISHED = resolve(import.meta.dirname, '../../docs/schemas/view-api.openapi.json')

interface Described {
  readonly paths: Readonly<
    Record<
      string,
      {
        readonly get?: {
          readonly responses: Readonly<
            Record<string, { readonly content: { readonly 'application/json': { readonly schema: object } } }>
          >
        }
      }
    >
  >
}

const recipe = recipeHash('0123456789abcdef')
const content = contentHash(sha256('report.pdf'))
const used = receiptId(content, recipe, 'service')

const answer = (markdown: string): Buffer => Buffer.from(JSON.stringify({ success: true, data: { markdown } }))

async function fill(store: OutputStore): Promise<void> {
  const block = {
    pageNumber: 1,
    width: 100,
    height: 200,
    status: 'ok',
    id: 'p1.b0',
    type: 'text',
    label: null,
    bbox: [0, 0, 1, 0.5],
  }
  const line = {
    ...block,
    content: 'One',
    markdownSpan: [0, 3],
    readingOrder: 0,
    source: null,
    confidence: { layout: 1, ocr: null },
  }
  const files = outputs({ 'document.md': 'One\n\nTwo\n', 'blocks.jsonl': `${JSON.stringify(line)}\n` })
  await store.documents.commit(recordOf('report.pdf', files, { receipt: used }), files)
  await store.receipts.save(used, answer('One\n\nTwo\n'), null)
  await store.receipts.save(receiptId(content, recipe, 'embedded'), answer('One\n\n2\n\nThree\n'), null)
  await store.deadLetters.bury(letterOf('broken.pdf'))
}

const STATUS: LiveStatus = {
  source: 'file:///in/',
  counts: { pending: 1, done: 2, partial: 0, failed: 1, skipped: 0 },
  skippedBy: { '.zip': 2 },
  perSecond: 0.5,
  leftMs: 2_000,
  backlog: 1,
  workers: 1,
  paused: false,
  lastRun: {
    state: 'halted',
    command: 'run',
    service: 'http://127.0.0.1:1',
    startedAt: 1,
    endedAt: 2,
    cause: 'credits',
    haltedAt: 2,
    line: 'sluice run at http://127.0.0.1:1',
    next: null,
  },
  limiter: null,
  budgets: [{ scope: 'run', limit: 10, spent: 2, held: 0 }],
  processes: [{ process: 'a', heartbeatMs: 12, held: 1, documents: [{ key: 'report.pdf', requestMs: 5 }] }],
  outages: [],
}

const live: LivePipeline = {
  status: async () => STATUS,
  history: () => [
    { at: 1, settled: 2, held: 1, admitted: null, refused: null, ratePerMinute: null, places: null, inFlight: null },
  ],
  pause: async () => undefined,
  resume: async () => undefined,
}

test('docs/schemas holds the API description that the code generates (UPDATE=1 writes it)', async () => {
  const made = `${JSON.stringify(openapi('1'), null, 2)}\n`
  if (process.env['UPDATE'] === '1') await (await import('node:fs/promises')).writeFile(PUBLISHED, made)
  expect(JSON.parse(await readFile(PUBLISHED, 'utf8'))).toEqual(JSON.parse(made))
})

test('each answer of the API matches its description, which names each address', async () => {
  await using served = await serve(fill, { live })
  const described = JSON.parse((await served.get('api/openapi.json')).text) as Described
  const ajv = new Ajv2020({ strict: false, validateFormats: false })
  const query: Readonly<Record<string, string>> = {
    '/api/documents': '?q=report&sort=at&order=desc&page=1',
    '/api/document': '?key=report.pdf',
    '/api/receipts': '?key=report.pdf',
    '/api/chunks': '?key=report.pdf',
    '/api/search': '?q=two',
  }
  for (const [path, { get }] of Object.entries(described.paths)) {
    if (get === undefined) continue
    const { status, text } = await served.get(path.slice(1) + (query[path] ?? ''))
    const validate = ajv.compile(get.responses['200']?.content['application/json'].schema ?? {})
    const value: unknown = JSON.parse(text)
    expect([path, status, validate(value), validate.errors]).toEqual([path, 200, true, null])
  }
  const documents = JSON.parse((await served.get('api/documents?outcome=failed')).text) as { rows: { key: string }[] }
  expect(documents.rows.map(({ key }) => key)).toEqual(['broken.pdf'])
})

const LIST = 'q, outcome, code, format, parser, grade, credits, from, to, sort, order, page'

test.each([
  [
    'api/documents?page=0&sort=size',
    400,
    'wrong value of sort (key, at, credits, pages, grade, bytes; default: key), page (from 1; 100 documents each)',
  ],
  ['api/documents?from=yesterday', 400, 'wrong value of from (finished on this day or later, 2026-11-22, UTC)'],
  ['api/documents?search=a&name=b', 400, `unknown parameters: search, name; this address takes ${LIST}`],
  ['api/document', 400, 'key is missing'],
  ['api/document?kay=report.pdf', 400, 'unknown parameter: kay; this address takes key'],
  ['api/store?outcome=done', 400, 'unknown parameter: outcome; this address takes none'],
  ['api/search?q=', 400, 'q is missing'],
  ['api/search?q=-x', 400, 'the question has no word to search for'],
  ['api/search?query=x', 400, 'unknown parameter: query; this address takes q, limit, group, where'],
  ['api/search?q=x&limit=0', 400, 'wrong value of limit (1 to 100; default: 20)'],
  [
    "api/search?q=x&where=language%20%3D%20'en'",
    400,
    expect.stringContaining('where: the index has no column language'),
  ],
  ['api/chunks?key=absent', 404, 'the store has no such document'],
  ['api/chunks?key=report.pdf&chunk=0', 400, 'wrong value of chunk (from 1; opens its page of the list)'],
  ['api/document?key=absent', 404, 'the store has no such document'],
  ['api/receipts?key=broken.pdf', 404, 'the store has no record of this document'],
  ['api/live', 404, 'the source of this store is unknown: start "sluice view SOURCE --out …"'],
] as const)('the API answers %s with %i and a sentence', async (path, status, error) => {
  await using served = await serve(fill)
  const answered = await served.get(path)
  expect([answered.status, JSON.parse(answered.text)]).toEqual([status, { error }])
})

test('the API returns two receipts of a document next to each other, with differing lines marked', async () => {
  await using served = await serve(fill)
  const page = (await served.get('compare?key=report.pdf')).text
  expect(page).toContain('One line is not in the other receipt')
  expect(page).toContain('2 lines are not in the other receipt')
  const frames = [...page.matchAll(/<iframe[^>]* src="\/[^/]+\/([^"]+)"/g)].map(([, path = '']) =>
    path.replaceAll('&amp;', '&'),
  )
  const contents = await Promise.all(frames.map(async (path) => (await served.get(path)).text))
  expect(contents.map((text) => [...text.matchAll(/<mark[^>]*>([^<]+)</g)].map(([, marked]) => marked))).toEqual([
    ['Two'],
    ['2', 'Three'],
  ])
  const other = receiptId(contentHash('0'.repeat(64)), recipe, 'service')
  await served.store.receipts.save(other, answer('of another document'), null)
  for (const id of [other, '../../../etc/passwd', '']) {
    const { status, text } = await served.get(`content/receipt?key=report.pdf&id=${encodeURIComponent(id)}`)
    expect([status, text.includes('cannot be read')]).toEqual([200, true])
  }
  expect((await served.get(`compare?key=${sourceKey('broken.pdf')}`)).status).toBe(404)
  expect(served.errors).toEqual([])
})
