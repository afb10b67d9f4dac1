import { StoreUnusable } from '#src/document/store-unusable.ts'
import { expect, test } from 'vitest'
import { sourceKey } from '#src/document/ids.ts'
import { startTestRedis } from '../../support/redis.ts'
import { errorReply, parsedReply, type Reply } from '../../support/scripted-service.ts'
import { withMethods } from '../../support/with-methods.ts'
import { openWorkbench, type Workbench } from '../../support/workbench.ts'
import { shared } from '../../support/shared.ts'

/* What the worker makes of answers that say more, or less, than "here is the document". */

const redis = await shared(startTestRedis())

const KEY = sourceKey('a.pdf')

async function ingested(bench: Workbench, key = 'a.pdf') {
  await bench.write(key, key.endsWith('.pdf') ? `%PDF-${key}` : 'a,b')
  expect(await bench.ingest(key)).toEqual({ kind: 'finish' })
  return bench.deps.store.documents.read(sourceKey(key))
}

const answering = (...answers: Reply[]) => openWorkbench({ redis, answers })

test('a truncated document is committed as partial, with the reason in its record', async () => {
  await using bench = await answering(
    parsedReply('# Half', { metadata: { numPages: 2, totalPages: 5, creditsUsed: 2 } }),
  )
  expect(await ingested(bench)).toMatchObject({
    outcome: 'partial',
    problems: ['only 2 of 5 pages were parsed'],
    pages: { parsed: 2, total: 5, truncated: true },
    cost: { credits: 2, basis: 'reported' },
  })
  expect(await bench.deps.ledger.counts()).toMatchObject({ partial: 1, done: 0, pending: 0 })
})

test('spans in code points become UTF-16 in blocks.jsonl, and invalid ones are counted', async () => {
  const items = [
    { id: 'p1.b0', content: '# 😀 Title', markdownSpan: [0, 9] },
    { id: 'p1.b1', content: 'text', markdownSpan: [11, 15] },
    { id: 'p1.b2', content: 'gone', markdownSpan: [0, 4] },
  ]
  const markdown = '# 😀 Title\n\ntext'
  await using bench = await answering(parsedReply(markdown, { blocks: [{ pageNumber: 1, status: 'ok', items }] }))
  const dropped: number[] = []
  bench.deps.events.on('spans:dropped', ({ count }) => dropped.push(count))

  expect(await ingested(bench)).toMatchObject({ outcome: 'done', spans: { unit: 'code_points', dropped: 1 } })
  const lines = (await bench.deps.store.documents.readOutput(KEY, 'blocks.jsonl'))?.toString().trim().split('\n') ?? []
  const spans = lines.map((line) => (JSON.parse(line) as { markdownSpan: [number, number] | null }).markdownSpan)
  expect(spans.map((span) => span && markdown.slice(...span))).toEqual(['# 😀 Title', 'text', null])
  expect(dropped).toEqual([1])
})

test('expiring links of an answer are marked with their expiry', async () => {
  await using bench = await answering(parsedReply('# Said', { audio: 'https://x.test/a.mp3' }))
  const before = Date.now()
  const [link] = (await ingested(bench))?.expiring ?? []
  expect(link?.field).toBe('audio')
  expect(Date.parse(link?.at ?? '') - before).toBeGreaterThanOrEqual(3_600_000)
})

test('zero data retention keeps no receipt, and a copy is paid for again', async () => {
  await using bench = await openWorkbench({ redis, settings: { options: { zeroDataRetention: true } } })
  expect(await ingested(bench)).toMatchObject({ receipt: null })
  const receipts: string[] = []
  for await (const { id } of bench.deps.store.receipts.list(new AbortController().signal)) receipts.push(id)
  expect(receipts).toEqual([])
  await bench.write('copy of a.pdf', '%PDF-a.pdf')
  await bench.ingest('copy of a.pdf')
  expect(bench.service.charged).toBe(2)
})

test('an answer under zero data retention that the store refuses is reported as lost', async () => {
  await using bench = await openWorkbench({ redis, settings: { options: { zeroDataRetention: true } } })
  const lost: string[] = []
  bench.deps.events.on('answer:lost', ({ key }) => lost.push(key))
  const commit = async (): Promise<never> => {
    throw new StoreUnusable('the disk is full')
  }
  const documents = withMethods(bench.deps.store.documents, { commit })
  const store = { ...bench.deps.store, documents }
  Object.assign(bench.deps, { store, storePatienceMs: 0 })
  await bench.write('a.pdf', '%PDF-a.pdf')
  expect(await bench.ingest('a.pdf')).toMatchObject({ kind: 'postpone' })
  expect([lost, bench.service.charged]).toEqual([['a.pdf'], 1])
})

test('each document is sent with the options of the first matching rule', async () => {
  const settings = {
    options: { onlyMainContent: false },
    rules: [
      { match: 'scan-*.pdf', options: { parsers: [{ type: 'pdf' as const, mode: 'ocr' as const }] } },
      { match: '*.csv', options: { formats: ['html' as const] } },
    ],
  }
  await using bench = await openWorkbench({ redis, settings })
  for (const key of ['scan-1.pdf', 'b.pdf', 'c.csv']) await ingested(bench, key)
  const pdf = { type: 'pdf', pages: true, blocks: true }
  const asked = bench.service.requests.map(({ options }) => ({ ...options, timeout: undefined }))
  expect(asked).toEqual([
    { onlyMainContent: false, parsers: [{ ...pdf, mode: 'ocr' }] },
    { onlyMainContent: false, parsers: [pdf] },
    { onlyMainContent: false, formats: [{ type: 'html' }] },
  ])
})

test.each(['SCRAPE_SITE_ERROR', 'SCRAPE_ACTION_ERROR', 'SCRAPE_X_TWITTER_CONFIGURATION_ERROR'])(
  'a failure of a site or a setting, %s as 500, is tried twice instead of five times',
  async (code) => {
    const reply = errorReply(500, 'the site does not load', { code })
    await using bench = await answering(reply, reply)
    await bench.write('a.pdf', '%PDF-a.pdf')
    expect(await bench.ingest('a.pdf', 1)).toMatchObject({ kind: 'postpone', counted: true })
    expect(await bench.ingest('a.pdf', 2)).toEqual({ kind: 'finish' })
    expect(await bench.deps.store.deadLetters.read(KEY)).toMatchObject({ attempts: 2, failure: { serviceCode: code } })
  },
)
