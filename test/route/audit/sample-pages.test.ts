import { expect, test } from 'vitest'
import { samplePages } from '#src/route/audit/sample-pages.ts'
import { Random } from '../../support/random.ts'

const nameOf = ({ key, pageNumber }: { key: string; pageNumber: number }): string => `${key} ${pageNumber}`

test('an audit sample names as many different pages as requested, at any size', () => {
  const random = new Random(3)
  for (let at = 0; at < 200; at += 1) {
    const documents = Array.from({ length: 1 + random.below(30) }, (_, index) => ({
      key: `folder${random.below(3)}/${index}.pdf`,
      pages: random.below(12),
    }))
    const total = documents.reduce((sum, { pages }) => sum + pages, 0)
    const wanted = random.below(40)
    const sample = samplePages(documents, wanted, () => random.next())
    expect(new Set(sample.map(nameOf)).size).toBe(Math.min(wanted, total))
    for (const { key, pageNumber } of sample) {
      const pages = documents.find((document) => document.key === key)?.pages ?? 0
      expect(pageNumber >= 1 && pageNumber <= pages).toBe(true)
    }
  }
})

test('the audit sample draws each page equally often', () => {
  const documents = [1, 7, 2, 30].map((pages, at) => ({ key: `${at}.pdf`, pages }))
  const random = new Random(5)
  const drawn = new Map<string, number>()
  for (let at = 0; at < 8_000; at += 1) {
    for (const page of samplePages(documents, 10, () => random.next()))
      drawn.set(nameOf(page), (drawn.get(nameOf(page)) ?? 0) + 1)
  }
  expect(drawn.size).toBe(40)
  for (const count of drawn.values()) expect(Math.abs(count - 2_000)).toBeLessThan(200)
})

test('a document shorter than the step of an audit sample yields at most one page', () => {
  const documents = Array.from({ length: 100 }, (_, at) => ({ key: `${at}.pdf`, pages: 10 }))
  const sample = samplePages(documents, 100, () => 0.37)
  expect(new Set(sample.map(({ key }) => key)).size).toBe(100)
})
