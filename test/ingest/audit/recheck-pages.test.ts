import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Rechecked, recheckReceipts } from '#src/ingest/audit/recheck-receipts.ts'
import { collect } from '../../support/documents.ts'
import { writeLargePdf } from '../../support/large-pdf.ts'
import { answerOf } from '../../support/paged-answer.ts'
import { startTestRedis, type TestRedis } from '../../support/redis.ts'
import { openRoutedBench, pagesInFile } from '../../support/routed-bench.ts'
import { tempFolder } from '../../support/temp-folder.ts'

let redis: TestRedis
beforeAll(async () => {
  redis = await startTestRedis()
})
afterAll(() => redis[Symbol.asyncDispose]())

const GRADES = { 'a.pdf': [0.2, 1, 0.3, 1], 'b.pdf': [1, 0.1], 'c.pdf': [1, 1, 1] } as const
const MOST_PAGES = 4

test('recheckReceipts buys the pages of routed documents again that were bought together, within its budget and once by name', async () => {
  await using folder = await tempFolder()
  let [isUpgraded, charged] = [false, 0]
  await using routed = await openRoutedBench({
    redis,
    engine: (request) => {
      const found = pagesInFile(request, MOST_PAGES)
      const grades = Object.values(GRADES).find((one) => one.length === found.length) ?? []
      return answerOf(
        found.map((page) => `Local reading of page ${page}.`),
        [...grades],
      )
    },
    paid: (request) => {
      const found = pagesInFile(request, MOST_PAGES)
      charged += found.length
      return answerOf(
        found.map((page) => `Page ${page} in ${isUpgraded && found.length === 1 ? 2025 : 2024}.`),
        null,
      )
    },
  })
  for (const [name, grades] of Object.entries(GRADES)) {
    const path = join(folder.path, name)
    await writeLargePdf(path, { pictures: grades.map(() => 2000) })
    await routed.bench.write(name, await readFile(path))
    await routed.ingestToEnd(name)
  }
  expect(charged).toBe(3)
  isUpgraded = true
  const recheck = (budget: number, name: string): Promise<readonly Rechecked[]> =>
    collect(recheckReceipts({ budget, name, next: () => 0 }, routed.deps, new AbortController().signal))

  await recheck(2, 'small')
  const spent = charged - 3
  expect([1, 2]).toContain(spent)
  const all = (await recheck(10, 'all')).toSorted((one, other) => (one.key < other.key ? -1 : 1))
  expect(all).toMatchObject([
    { kind: 'rechecked', key: 'a.pdf', pages: [1, 3], credits: 2, agreement: { text: 1 } },
    { kind: 'rechecked', key: 'b.pdf', pages: [2], credits: 1, agreement: { numbers: 0.5 } },
  ])
  expect(charged).toBe(3 + spent + 3)
  await recheck(10, 'all')
  expect(charged).toBe(3 + spent + 3)
})
