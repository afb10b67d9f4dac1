import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { sourceKey } from '#src/document/ids.ts'
import { localFirstPrices, PRICED_QUALITIES } from '#src/ingest/scan/price-local-first.ts'
import { writeLargePdf } from '../../support/large-pdf.ts'
import { answerOf } from '../../support/paged-answer.ts'
import { Random } from '../../support/random.ts'
import { seedFrom } from '../../support/seed.ts'
import { startTestRedis } from '../../support/redis.ts'
import { openRoutedBench, pagesInFile, type RoutedBench } from '../../support/routed-bench.ts'
import { temporaryFolder } from '../../support/folder.ts'

const SEED = seedFrom('PLANNED_SEED', 1)
const DOCUMENTS = Number(process.env['PLANNED_DOCUMENTS'] ?? 4)
const MOST_PAGES = 80

test(`what a plan says after a local pass is what runs are charged, for hundreds of credits (seed ${SEED})`, async () => {
  await using redis = await startTestRedis()
  await using folder = await temporaryFolder()
  const random = new Random(SEED)
  const archive = Array.from({ length: DOCUMENTS }, () => {
    const bad = random.next()
    return Array.from({ length: 1 + random.below(MOST_PAGES) }, () =>
      random.next() < bad ? random.next() : 0.985 + random.next() * 0.015,
    )
  })
  let current: readonly number[] = []
  let charged = 0
  const open = (qualityFloor: number): Promise<RoutedBench> =>
    openRoutedBench({
      redis,
      terms: { qualityFloor },
      engine: (request) => {
        const found = pagesInFile(request, MOST_PAGES)
        return answerOf(
          found.map((page) => `Page ${page}.`),
          found.map((page) => current[page - 1] ?? 0),
        )
      },
      paid: (request) => {
        const found = pagesInFile(request, MOST_PAGES)
        charged += found.length
        return answerOf(
          found.map((page) => `Bought ${page}.`),
          null,
        )
      },
    })
  const pdfOf = async (number: number): Promise<Buffer> => {
    const path = join(folder.path, `${number}.pdf`)
    await writeLargePdf(path, { pictures: (archive[number] ?? []).map(() => 2000) })
    return Buffer.concat([await readFile(path), Buffer.from(`% ${number}\n`)])
  }
  await using local = await open(0)
  const planned = new Map<number, number>()
  for (const [number, grades] of archive.entries()) {
    current = grades
    await local.bench.write(`${number}.pdf`, await pdfOf(number))
    await local.ingestToEnd(`${number}.pdf`)
    const key = sourceKey(`${number}.pdf`)
    const record = await local.deps.store.readRecord(key)
    const recipe = local.deps.recipeFor(key, 'pdf').answers
    if (record === null || recipe === undefined) throw new Error('it was not read')
    const prices = await localFirstPrices(
      {
        key,
        contentHash: record.contentHash,
        recipe,
        whole: { pages: null, credits: 0, mostCredits: 0 },
        isByPage: true,
      },
      { ...local.deps, order: [local.deps.price] },
    )
    for (const { quality, credits } of prices ?? []) planned.set(quality, (planned.get(quality) ?? 0) + credits)
  }
  expect(charged).toBe(0)
  for (const quality of PRICED_QUALITIES) {
    await using paying = await open(quality)
    for (const [number, grades] of archive.entries()) {
      current = grades
      await paying.bench.write(`${number}.pdf`, await pdfOf(number))
      await paying.ingestToEnd(`${number}.pdf`, { ...paying.deps, store: local.deps.store })
    }
    // What a lower floor bought is not bought again: all that was charged so far is the price of this one.
    expect([quality, charged]).toEqual([quality, planned.get(quality)])
  }
  expect(charged).toBeGreaterThan(20)
  console.log(
    `seed ${SEED}: ${archive.flat().length} pages; planned and charged ${[...planned.values()].join(', ')} credits`,
  )
}, 600_000)
