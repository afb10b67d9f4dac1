import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { ParseOptionsInput } from '@sluice/contract'
import { recipeBook } from '#src/client/rules.ts'
import { PdfCutter } from '#src/cut/pdf-cutter.ts'
import { sourceKey } from '#src/document/ids.ts'
import { type PlannedItem, planSource } from '#src/ingest/scan/plan-source.ts'
import { routedRecipe } from '#src/route/routed-recipe.ts'
import { collect } from '../../support/documents.ts'
import type { Policy } from '#src/ingest/document/deps.ts'
import { planOf } from '../../support/workbench.ts'
import { writeLargePdf } from '../../support/large-pdf.ts'
import { answerOf } from '../../support/paged-answer.ts'
import { openRoutedBench, pagesInFile } from '../../support/routed-bench.ts'
import type { ReceivedRequest, Reply } from '../../support/scripted-service.ts'
import { startTestRedis } from '../../support/redis.ts'
import { shared } from '../../support/shared.ts'
import { tempFolder } from '../../support/temp-folder.ts'

/* A plan of a document that is routed by page, beside what a run is then charged: engine and service are scripted, and count pages. */

const PAGES = 8
const BAD: readonly number[] = [2, 3, 7]
const key = sourceKey('some.pdf')
const never = new AbortController().signal
const redis = await shared(startTestRedis())
const folder = await shared(tempFolder())

/** Plans the document, has it bought, and plans it again. */
async function planAndBuy(
  options: ParseOptionsInput,
  cutter?: PdfCutter,
): Promise<{
  readonly planned: PlannedItem | undefined
  readonly charged: number
  readonly again: PlannedItem | undefined
}> {
  let charged = 0
  const answerWith =
    (gradeOf: (page: number) => number, isPaid: boolean) =>
    (request: ReceivedRequest): Reply => {
      const found = pagesInFile(request, PAGES)
      if (isPaid) charged += found.length
      return answerOf(
        found.map((page) => `Page ${page}.`),
        found.map(gradeOf),
      )
    }
  await using bench = await openRoutedBench({
    redis,
    engine: answerWith((page) => (BAD.includes(page) ? 0.2 : 1), false),
    paid: answerWith(() => 1, true),
  })
  const path = join(folder.path, 'some.pdf')
  await writeLargePdf(path, { pictures: Array.from({ length: PAGES }, () => 60_000) })
  await bench.bench.write(key, await readFile(path))
  const { routed } = bench.deps
  if (routed === null) throw new Error('the bench has no tiers')
  const book = recipeBook({ options })
  const recipeFor: Policy['recipeFor'] = (at, extension) => routedRecipe(book(at, extension), routed.terms)
  const deps = { ...bench.deps, recipeFor, cutter: cutter ?? null }
  const plan = { ...deps, checksum: false, isOutdated: () => false, countPages: async () => PAGES }
  const [planned] = await collect(planSource(planOf(plan), never))
  expect(charged).toBe(0)
  await bench.ingestToEnd(key, deps)
  const [again] = await collect(planSource(planOf(plan), never))
  return { planned, charged, again }
}

test.each([
  ['of which single pages are bought', {}, undefined, BAD.length],
  ['over the limit of the service', {}, new PdfCutter({ limitBytes: 250_000 }), BAD.length],
  ['whose answer belongs to no single page', { formats: ['markdown', 'summary'] }, undefined, PAGES],
] satisfies readonly (readonly [string, ParseOptionsInput, PdfCutter | undefined, number])[])(
  'a plan prices every page of a document, and a run is charged no more: one %s',
  async (_, options, cutter, expected) => {
    const { planned, charged, again } = await planAndBuy(options, cutter)
    expect(planned).toMatchObject({ change: 'new', pages: PAGES, credits: PAGES })
    expect(charged).toBe(expected)
    expect(again).toMatchObject({ change: 'unchanged', requests: 0, credits: 0 })
  },
  120_000,
)

test('a plan prices a document at the service that its rule names', async () => {
  await using bench = await openRoutedBench({
    redis,
    engine: () => answerOf(['One.'], null),
    paid: () => answerOf(['One.'], null),
  })
  await bench.bench.write(key, Buffer.from('%PDF-1.4 not read yet'))
  const plan = { ...bench.deps, checksum: false, isOutdated: () => false, countPages: async () => 3 }
  const [planned] = await collect(planSource(planOf({ ...plan, priceFor: () => () => 12 }), never))
  expect(planned).toMatchObject({ requests: 1, pages: 3, credits: 12 })
}, 60_000)

test('a plan prices documents that stay on this machine at nothing', async () => {
  await using bench = await openRoutedBench({
    redis,
    engine: () => answerOf(['One.'], null),
    paid: () => answerOf(['One.'], null),
  })
  await bench.bench.write(key, Buffer.from('%PDF-1.4 not read yet'))
  const routes = { of: () => 'local' as const, engine: bench.deps.parsers.own, unmatched: () => [] }
  const parsers = { ...bench.deps.parsers, routes }
  const plan = { ...bench.deps, parsers, checksum: false, isOutdated: () => false, countPages: async () => 3 }
  const [planned] = await collect(planSource(planOf(plan), never))
  expect(planned).toMatchObject({ requests: 1, credits: 0 })
}, 60_000)
