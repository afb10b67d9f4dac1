import { expect, test } from 'vitest'
import { Random } from '../../support/random.ts'
import { startTestRedis } from '../../support/redis.ts'
import { type ArchiveDocument, type ReadPage, routeArchive } from '../../support/routed-archive.ts'
import { seedFrom } from '../../support/seed.ts'
import { shared } from '../../support/shared.ts'

const SEED = seedFrom('ROUTE_SEED', 11)
const FLOOR = 0.9
const PAGES = [1, 3, 80, 17, 6]

const redis = await shared(startTestRedis())

function drawnPage(random: Random): ReadPage {
  const f1 = random.next() < 0.3 ? random.next() : 1
  // Now and then the engine errs.
  const expected = random.next() < 0.1 ? random.next() : f1
  return { grade: expected, expected, f1 }
}

function drawnDocument(random: Random, count: number): ArchiveDocument {
  const pages = Array.from({ length: count }, () => drawnPage(random))
  const numbers = pages.map((_, at) => at + 1)
  return {
    pages,
    paidQuality: random.pick([0.9, 0.95, 0.98, 1]),
    failing: new Set(numbers.filter(() => random.next() < 0.05)),
  }
}

test(`documents of 1 to 80 pages are put back page by page, and charged for the pages that records name (seed ${SEED})`, async () => {
  const random = new Random(SEED)
  const documents = PAGES.map((count) => drawnDocument(random, count))
  let at = 0
  for await (const { record, charged, quality, faults } of routeArchive(documents, {
    redis,
    qualityFloor: FLOOR,
    random,
  })) {
    const { pages, paidQuality, failing } = documents[at++] as ArchiveDocument
    expect(faults, `document ${at}`).toEqual([])
    const bought = record.route?.pages.flatMap(({ page, reason }) => (reason === 'bought' ? [page] : [])) ?? []
    expect([...charged].toSorted(([a], [b]) => a - b)).toEqual(bought.map((page) => [page, 1]))
    expect(record.cost.credits).toBe(bought.length)
    expect(bought.filter((page) => failing.has(page))).toEqual([])
    expect(quality).toEqual(
      pages.map(({ f1 }, index) => Math.round(50 * (bought.includes(index + 1) ? paidQuality : f1)) / 50),
    )
  }
  expect(at).toBe(PAGES.length)
})
