import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { sourceKey } from '#src/document/ids.ts'
import type { DocumentRecord } from '#src/document/record.ts'
import type { SluiceEvents } from '#src/events.ts'
import { unusedReceipts } from '#src/ingest/maintain/collect-receipts.ts'
import { rederive } from '#src/ingest/maintain/rederive.ts'
import { summariseGrades } from '#src/ingest/maintain/summarise-grades.ts'
import { drawnPages } from '#src/route/audit/kept-pages.ts'
import { collect } from '../../support/documents.ts'
import { writeLargePdf } from '../../support/large-pdf.ts'
import { answerOf } from '../../support/paged-answer.ts'
import { startTestRedis, type TestRedis } from '../../support/redis.ts'
import { openRoutedBench, pagesInFile, type RoutedBench } from '../../support/routed-bench.ts'
import { errorReply } from '../../support/scripted-service.ts'
import { type TempFolder, tempFolder } from '../../support/temp-folder.ts'

const PAGES = 20
/** Read badly, so that they are bought. */
const BAD = [3, 11]
const never = new AbortController().signal
const KEY = sourceKey('a.pdf')

let redis: TestRedis
let folder: TempFolder
beforeAll(async () => {
  redis = await startTestRedis()
  folder = await tempFolder()
})
afterAll(async () => {
  await redis[Symbol.asyncDispose]()
  await folder[Symbol.asyncDispose]()
})

const textOf = (page: number): string => `One of the twenty texts that both of them read alike on page ${page}.`

/** A service that reads page 7 otherwise, and what it was paid for by page. */
async function open(
  auditShare: number,
  paid: Map<number, number>,
  isDown = false,
  qualityFloor = 0.9,
): Promise<RoutedBench> {
  const opened = await openRoutedBench({
    redis,
    auditShare,
    terms: { qualityFloor },
    engine: (request) => {
      const found = pagesInFile(request, PAGES)
      return answerOf(
        found.map(textOf),
        found.map((page) => (BAD.includes(page) ? 0.2 : 0.95)),
      )
    },
    paid: (request) => {
      if (isDown) return errorReply(503, 'down')
      const found = pagesInFile(request, PAGES)
      for (const page of found) paid.set(page, (paid.get(page) ?? 0) + 1)
      return answerOf(
        found.map((page) => (page === 7 ? 'Something else is to be read here.' : textOf(page))),
        null,
      )
    },
  })
  const path = join(folder.path, 'a.pdf')
  await writeLargePdf(path, { pictures: Array.from({ length: PAGES }, () => 2000) })
  await opened.bench.write('a.pdf', await readFile(path))
  return opened
}

async function recordOf({ deps }: RoutedBench, key = KEY): Promise<DocumentRecord> {
  const record = await deps.store.readRecord(key)
  if (record === null) throw new Error('there is no record')
  return record
}

test('a drawn share of the kept pages is bought once and compared, and no output changes', async () => {
  const paid = new Map<number, number>()
  await using routed = await open(0.5, paid)
  const events: SluiceEvents['pages:compared'][0][] = []
  routed.deps.events.on('pages:compared', (event) => events.push(event))
  await routed.ingestToEnd('a.pdf')
  const record = await recordOf(routed)
  const kept = Array.from({ length: PAGES }, (_, index) => index + 1).filter((page) => !BAD.includes(page))
  const drawn = drawnPages(record.contentHash, kept, 0.5)
  expect(drawn.length).toBeGreaterThan(3)
  expect([...paid.keys()].toSorted((a, b) => a - b)).toEqual([...BAD, ...drawn].toSorted((a, b) => a - b))
  expect(record.route?.pages.flatMap(({ page, parser }) => (parser === 'service' ? [page] : []))).toEqual(BAD)
  expect(record.route?.compared?.map(({ page }) => page)).toEqual(drawn)
  for (const { page, agreement } of record.route?.compared ?? []) {
    if (page === 7) expect(agreement).toBeLessThan(0.9)
    else expect(agreement).toBe(1)
  }
  expect([record.outcome, record.cost.credits]).toEqual(['done', BAD.length + drawn.length])
  const lines = (await routed.deps.store.readOutput(KEY, 'pages.jsonl'))?.toString() ?? ''
  expect(lines).not.toContain('Something else')
  const different = drawn.includes(7) ? 1 : 0
  expect(events).toEqual([expect.objectContaining({ pages: drawn.length, different })])
  expect((await summariseGrades(routed.deps, never)).compared).toMatchObject({ pages: drawn.length, different })

  expect(await rederive(record, routed.deps)).toEqual({ kind: 'same' })
  expect(await collect(unusedReceipts(routed.deps.store, never))).toEqual([])

  // A copy, the document without its record, and a floor that asks for more find the receipts.
  await routed.bench.write('b.pdf', await readFile(join(folder.path, 'a.pdf')))
  await routed.ingestToEnd('b.pdf')
  await routed.deps.store.remove(KEY)
  await routed.ingestToEnd('a.pdf')
  await using higher = await open(0.5, paid, false, 0.97)
  await routed.deps.store.remove(KEY)
  await higher.ingestToEnd('a.pdf', { ...higher.deps, store: routed.deps.store })
  expect([...paid.values()].every((times) => times === 1)).toBe(true)
  expect(paid.size).toBe(PAGES)
  expect(events).toHaveLength(1)
}, 240_000)

test('a document without a bad page does not wait for a service that is down, and halts nothing', async () => {
  await using routed = await open(1, new Map(), true, 0.1)
  expect(await routed.ingestToEnd('a.pdf')).toBe(1)
  const record = await recordOf(routed)
  expect([record.outcome, record.route?.compared, record.pieces]).toEqual(['done', undefined, undefined])
  expect(routed.bench.halts).toEqual([])
}, 240_000)
