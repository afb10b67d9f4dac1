import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { PdfCutter } from '#src/cut/pdf-cutter.ts'
import { sourceKey } from '#src/document/ids.ts'
import { PageCounter } from '@sluice/engine/pages'
import { rederive } from '#src/ingest/document/rederive.ts'
import { headingOf, writeLargePdf } from '../../support/large-pdf.ts'
import { Random } from '../../support/random.ts'
import { answerOf } from '../../support/paged-answer.ts'
import { pagesInFile } from '../../support/routed-bench.ts'
import { errorReply, type ReceivedRequest, type Reply } from '../../support/scripted-service.ts'
import { ingestOnce, openWorkbench, type BenchParts } from '../../support/workbench.ts'
import { seedFrom } from '../../support/seed.ts'
import { takes } from '../../support/wait.ts'
import { startTestRedis } from '../../support/redis.ts'
import { shared } from '../../support/shared.ts'
import { tempFolder } from '../../support/temp-folder.ts'

/* PDFs of more pages than a service reads in 300 s: in mode `ocr` those are more than 90. */

const SEED = seedFrom('LONG_SEED', 1)
const MOST = 260
const key = sourceKey('long.pdf')

const redis = await shared(startTestRedis())
const folder = await shared(tempFolder())

async function openLong(pages: number, answers: (request: ReceivedRequest) => Reply | Promise<Reply>) {
  const settings = { options: { parsers: [{ type: 'pdf' as const, mode: 'ocr' as const }] } }
  const bench = await openWorkbench({ redis, settings, answers })
  const path = join(folder.path, `${pages}.pdf`)
  await writeLargePdf(path, { pictures: Array.from({ length: pages }, () => 1000) })
  await bench.write('long.pdf', await readFile(path))
  const counter = new PageCounter()
  const deps: BenchParts = {
    ...bench.deps,
    cutter: new PdfCutter({ folder: folder.path }),
    countPages: (read, _, signal) => counter.count(read.reread(signal), signal),
  }
  const close = async (): Promise<void> => {
    await counter[Symbol.asyncDispose]()
    await bench[Symbol.asyncDispose]()
  }
  return { bench, deps, [Symbol.asyncDispose]: close }
}

test(`a long PDF is parsed in concurrent pieces, and a page that no service reads costs only itself (seed ${SEED})`, async () => {
  const random = new Random(SEED)
  const pages = 91 + random.below(MOST - 90)
  const all = Array.from({ length: pages }, (_, index) => index + 1)
  const poison = new Set(Array.from({ length: random.below(3) }, () => 1 + random.below(pages)))
  const charged = new Map<number, number>()
  await using long = await openLong(pages, async (request) => {
    const found = pagesInFile(request, MOST)
    await takes(200)
    if (found.length > 90) return errorReply(408, 'Request Timeout', { code: 'SCRAPE_TIMEOUT' })
    if (found.some((page) => poison.has(page))) return errorReply(400, 'cannot be read', { code: 'DOCUMENT_CORRUPT' })
    for (const page of found) charged.set(page, (charged.get(page) ?? 0) + 1)
    return answerOf(found.map(headingOf), null)
  })
  expect(await ingestOnce(long.deps, 'long.pdf', 1)).toEqual({ kind: 'finish' })
  const left = all.filter((page) => !poison.has(page))
  expect([...charged].toSorted(([a], [b]) => a - b)).toEqual(left.map((page) => [page, 1]))
  const record = await long.deps.store.documents.read(key)
  if (record === null) throw new Error('there is no record')
  const markdown = (await long.deps.store.documents.readOutput(key, 'document.md'))?.toString()
  expect(markdown).toBe(left.map(headingOf).join('\n\n'))
  expect(record.outcome).toBe(poison.size === 0 ? 'done' : 'partial')
  for (const page of [...poison].slice(0, 10)) expect(record.problems.join('\n')).toContain(`page ${page} was left out`)
  expect(record.pages).toMatchObject({ parsed: left.length, total: pages })
  expect(record.cost.credits).toBe(left.length)
  expect(long.bench.service.peakInFlight).toBeGreaterThan(1)
  expect(long.deps.answerMemory.peakBytes).toBeGreaterThan(0)
  expect(long.deps.answerMemory.usedBytes).toBe(0)
  expect(await rederive(record, long.deps)).toEqual({ kind: 'same' })

  // Delivered again, under another name, and without its record: nothing is bought twice.
  await ingestOnce(long.deps, 'long.pdf', 1)
  await long.deps.store.documents.remove(key)
  await ingestOnce(long.deps, 'long.pdf', 1)
  expect([...charged.values()].every((times) => times === 1)).toBe(true)
  expect((await long.deps.store.documents.read(key))?.cost.basis).toBe('saved')
}, 240_000)

test('a piece of a PDF that fails temporarily is retried, and the others are not bought again', async () => {
  let failures = 1
  const charged: number[] = []
  await using long = await openLong(200, (request) => {
    const found = pagesInFile(request, 200)
    if (found.includes(150) && failures-- > 0) return errorReply(500, 'no', { code: 'SCRAPE_ALL_ENGINES_FAILED' })
    charged.push(...found)
    return answerOf(found.map(headingOf), null)
  })
  expect(await ingestOnce(long.deps, 'long.pdf', 1)).toMatchObject({ kind: 'postpone', counted: true })
  expect(await ingestOnce(long.deps, 'long.pdf', 2)).toEqual({ kind: 'finish' })
  expect(charged.toSorted((a, b) => a - b)).toEqual(Array.from({ length: 200 }, (_, index) => index + 1))
  expect((await long.deps.store.documents.read(key))?.outcome).toBe('done')
}, 240_000)

test('a long PDF with a receipt is not cut, and one for a model is sent uncut', async () => {
  const sent: number[] = []
  await using long = await openLong(100, (request) => {
    sent.push(pagesInFile(request, 100).length)
    return answerOf([headingOf(1)], null)
  })
  const whole = { ...long.deps, cutter: null }
  await ingestOnce(whole, 'long.pdf', 1)
  await long.deps.store.documents.remove(key)
  await ingestOnce(long.deps, 'long.pdf', 1)
  expect(sent).toEqual([100])
}, 240_000)
