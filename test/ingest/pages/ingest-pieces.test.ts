import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { ParseOptionsInput } from '@sluice/contract'
import { PdfCutter } from '#src/cut/pdf-cutter.ts'
import { sourceKey } from '#src/document/ids.ts'
import { receiptsOf } from '#src/document/record.ts'
import { unusedReceipts } from '#src/ingest/maintain/collect-receipts.ts'
import { planSource } from '#src/ingest/scan/plan-source.ts'
import { rederive } from '#src/ingest/document/rederive.ts'
import { verifyStore } from '#src/ingest/maintain/verify-store.ts'
import { collect } from '../../support/documents.ts'
import { headingOf, sentenceOf, writeLargePdf } from '../../support/large-pdf.ts'
import { startTestRedis } from '../../support/redis.ts'
import { errorReply, type ReceivedRequest, type Reply } from '../../support/scripted-service.ts'
import { shared } from '../../support/shared.ts'
import { tempFolder } from '../../support/temp-folder.ts'
import { planOf, openWorkbench, type Workbench } from '../../support/workbench.ts'
import { parseLines } from '../../support/json-lines.ts'

/* Documents over a limit of 300 KB: cut by the real cutter, sent over real HTTP to a service that reads their pages. */

const KB = 1000
const PAGES = 10
const key = sourceKey('large.pdf')
const never = new AbortController().signal

const redis = await shared(startTestRedis())
const folder = await shared(tempFolder())
await writeLargePdf(join(folder.path, 'large.pdf'), { pictures: Array.from({ length: PAGES }, () => 90 * KB) })
const large = await readFile(join(folder.path, 'large.pdf'))

/** Answers as the contract says for the pages that it finds in the file, numbered from 1. */
function parsePages({ file }: ReceivedRequest): Reply {
  const found = pagesOf(file?.content ?? null)
  let markdown = ''
  const blocks = found.map((page, index) => {
    const items = [headingOf(page), sentenceOf(page)].map((content, at) => {
      if (markdown !== '') markdown += '\n\n'
      const markdownSpan = [markdown.length, markdown.length + content.length]
      markdown += content
      return { id: `p${index + 1}.b${at}`, type: 'text', content, markdownSpan, readingOrder: at, bbox: [0, 0, 1, 0.1] }
    })
    return { pageNumber: index + 1, width: 612, height: 792, status: 'ok', items }
  })
  const pages = found.map((page, index) => ({ pageNumber: index + 1, markdown: headingOf(page) }))
  const count = found.length
  const metadata = { numPages: count, totalPages: count, creditsUsed: count }
  return { body: { success: true, data: { markdown, blocks, pages, metadata } } }
}

const pagesOf = (content: Buffer | null): number[] =>
  Array.from({ length: PAGES }, (_, index) => index + 1).filter((page) => content?.includes(`(${headingOf(page)})`))

const sent = ({ service }: Workbench): string[] =>
  service.requests.map(({ file }) => pagesOf(file?.content ?? null)).map((pages) => `${pages[0]}-${pages.at(-1)}`)

interface Bench {
  readonly answers?: (request: ReceivedRequest) => Reply
  readonly parser?: NonNullable<ParseOptionsInput['parsers']>[number]
  readonly options?: ParseOptionsInput
}

async function benchWith({ answers = parsePages, parser, options }: Bench = {}): Promise<Workbench> {
  const parsers: ParseOptionsInput['parsers'] = [parser ?? { type: 'pdf', pages: true, blocks: true }]
  const cutter = new PdfCutter({ limitBytes: 300 * KB, folder: folder.path })
  const bench = await openWorkbench({ redis, cutter, settings: { options: { parsers, ...options } }, answers })
  await bench.write('large.pdf', large)
  return bench
}

async function recordOf({ deps }: Workbench) {
  const record = await deps.store.documents.read(key)
  if (record === null) throw new Error('nothing was committed')
  return record
}
const output = async ({ deps }: Workbench, name: string) =>
  (await deps.store.documents.readOutput(key, name))?.toString() ?? ''
const lines = (text: string) => parseLines<Record<string, unknown>>(text)
const allPages = Array.from({ length: PAGES }, (_, index) => index + 1)

describe('a PDF over the limit', () => {
  test('is parsed in pieces and merged into one document with its pages, ids and spans', async () => {
    await using bench = await benchWith()
    expect(await bench.ingest('large.pdf')).toEqual({ kind: 'finish' })
    expect(sent(bench)).toEqual(['1-2', '3-5', '6-7', '8-10'])

    const markdown = await output(bench, 'document.md')
    expect(markdown).toBe(allPages.map((page) => `${headingOf(page)}\n\n${sentenceOf(page)}`).join('\n\n'))
    expect(lines(await output(bench, 'pages.jsonl'))).toMatchObject(
      allPages.map((pageNumber) => ({ pageNumber, markdown: headingOf(pageNumber) })),
    )
    const blocks = lines(await output(bench, 'blocks.jsonl'))
    expect(blocks.map(({ id }) => id)).toEqual(allPages.flatMap((page) => [`p${page}.b0`, `p${page}.b1`]))
    for (const { markdownSpan, content } of blocks) {
      expect(markdown.slice(...(markdownSpan as [number, number]))).toBe(content)
    }
    const record = await recordOf(bench)
    expect(record).toMatchObject({
      outcome: 'done',
      bytes: large.length,
      receipt: null,
      pages: { parsed: 10, total: 10, truncated: false },
      cost: { credits: 10, basis: 'reported' },
      pieces: [
        { firstPage: 1, lastPage: 2 },
        { firstPage: 3, lastPage: 5 },
        { firstPage: 6, lastPage: 7 },
        { firstPage: 8, lastPage: 10 },
      ],
    })
    expect(await bench.deps.ledger.counts()).toMatchObject({ done: 1, pending: 0 })
  })

  test('resumes after an interruption between two pieces, and buys no piece again', async () => {
    let broken = true
    const answers = (request: ReceivedRequest): Reply =>
      broken && request.number === 3 ? errorReply(422, 'The document is damaged') : parsePages(request)
    await using bench = await benchWith({ answers })
    await bench.ingest('large.pdf')
    const letter = await bench.deps.store.deadLetters.read(key)
    expect(letter?.failure.code).toBe('service_rejected')
    expect(letter?.pieces?.map(({ lastPage }) => lastPage)).toEqual([2, 5])
    expect(await collect(unusedReceipts(bench.deps.store, never))).toEqual([])
    broken = false
    await bench.ingest('large.pdf')
    expect(sent(bench)).toEqual(['1-2', '3-5', '6-7', '6-7', '8-10'])
    expect((await recordOf(bench)).outcome).toBe('done')

    await bench.write('copy.pdf', large)
    await bench.ingest('copy.pdf')
    expect(bench.service.requests.length).toBe(5)
    expect((await bench.deps.store.documents.read(sourceKey('copy.pdf')))?.cost).toEqual({ credits: 0, basis: 'saved' })
  })

  test('waits while the service refuses a piece, and records the cost of all pieces', async () => {
    const answers = (request: ReceivedRequest): Reply =>
      request.number === 2
        ? { ...errorReply(429, 'Concurrency limit reached'), headers: { 'retry-after': '1' } }
        : parsePages(request)
    await using bench = await benchWith({ answers })
    expect(await bench.ingest('large.pdf')).toEqual({ kind: 'finish' })
    expect(sent(bench)).toEqual(['1-2', '3-5', '3-5', '6-7', '8-10'])
    expect((await recordOf(bench)).cost).toEqual({ credits: 10, basis: 'reported' })
  })

  test('returns to the queue when the batch is halted', async () => {
    const answers = (request: ReceivedRequest): Reply =>
      request.number === 2 ? errorReply(402, 'Payment Required: Insufficient credits') : parsePages(request)
    await using bench = await benchWith({ answers })
    expect(await bench.ingest('large.pdf')).toMatchObject({ kind: 'postpone', counted: false })
    expect(bench.halts.map(([cause]) => cause)).toEqual(['credits'])
    expect(sent(bench)).toEqual(['1-2', '3-5'])
  })

  test('is bought up to maxPages and no further', async () => {
    await using bench = await benchWith({ parser: { type: 'pdf', blocks: true, maxPages: 4 } })
    await bench.ingest('large.pdf')
    expect(sent(bench)).toEqual(['1-2', '3-4'])
    expect(await recordOf(bench)).toMatchObject({
      outcome: 'partial',
      problems: ['only 4 of 10 pages were parsed'],
      pages: { parsed: 4, total: 10, truncated: true },
      cost: { credits: 4, basis: 'reported' },
    })
  })

  test('keeps no receipts under zero data retention', async () => {
    await using bench = await benchWith({ options: { zeroDataRetention: true } })
    await bench.ingest('large.pdf')
    expect(receiptsOf(await recordOf(bench))).toEqual([null, null, null, null])
    expect(await collect(bench.deps.store.receipts.list(never))).toEqual([])
  })

  test('fails without an upload when it cannot be cut or must not be parsed', async () => {
    await using bench = await benchWith()
    await bench.write('large.pdf', large.subarray(0, 600 * KB))
    await bench.ingest('large.pdf')
    expect((await bench.deps.store.deadLetters.read(key))?.failure).toMatchObject({ code: 'corrupt', stage: 'read' })

    await using unparsed = await benchWith({ options: { parsers: [] } })
    await unparsed.ingest('large.pdf')
    expect((await unparsed.deps.store.deadLetters.read(key))?.failure).toMatchObject({ code: 'too_large' })
    expect([...bench.service.requests, ...unparsed.service.requests]).toEqual([])
  })
})

describe('a record of pieces', () => {
  test('is rebuilt from all its receipts, and verified against each of them', async () => {
    await using bench = await benchWith({ parser: { type: 'pdf', pages: true, blocks: true, pageMarkers: true } })
    const { store } = bench.deps
    await bench.ingest('large.pdf')
    const record = await recordOf(bench)
    expect(await output(bench, 'document.md')).toContain('\n\n---\n\n<!-- page 6 -->\n\nChapter 6 begins')
    expect(await rederive(record, bench.deps)).toEqual({ kind: 'same' })
    expect(await collect(unusedReceipts(store, never))).toEqual([])
    expect(await collect(verifyStore(bench.deps, { repair: false, removeOrphans: false }, never))).toEqual([
      { kind: 'whole' },
    ])

    const [, second] = receiptsOf(record)
    if (second === undefined || second === null) throw new Error('no receipt')
    await store.receipts.remove(second)
    const [finding] = await collect(verifyStore(bench.deps, { repair: false, removeOrphans: false }, never))
    const damage = [
      'its receipt is missing or damaged: if its outputs must be made again, the document is paid for again',
    ]
    expect(finding).toMatchObject({ kind: 'damaged', key, damage })
    expect(await rederive(record, bench.deps)).toEqual({ kind: 'no_receipt' })
  })
})

test('a plan counts pieces that are not bought yet, with their pages and credits', async () => {
  const answers = (request: ReceivedRequest): Reply =>
    request.number > 2 ? errorReply(422, 'The document is damaged') : parsePages(request)
  await using bench = await benchWith({ answers })
  const planned = async () =>
    (await collect(planSource(planOf({ ...bench.deps, checksum: false, isOutdated: () => false }), never)))[0]
  expect(await planned()).toMatchObject({ requests: 4, pages: 10, credits: 10, saved: false, refusal: null })
  await bench.ingest('large.pdf')
  await bench.deps.ledger.forget([key])
  expect(await planned()).toMatchObject({ requests: 2, pages: 5, credits: 5, saved: false })
})
