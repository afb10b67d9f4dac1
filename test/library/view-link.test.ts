import { expect, test } from 'vitest'
import { sourceKey } from '#src/document/ids.ts'
import { viewLink } from '#src/corpus/search/view-link.ts'
import { readCitation } from '#src/view/citation.ts'

const position = {
  document: sourceKey('reports/100% ä b#c?.pdf'),
  pages: [3, 4],
  boxes: [
    { page: 3, bbox: [0.1, 0.25, 0.9, 1] as const },
    { page: 4, bbox: [0, 0, 0.5, 0.5] as const },
  ],
  markdownSpan: [10, 250] as const,
  receipts: ['a-b', 'c-d'],
}

test('a link to the viewer names the document, its first page, the box on it, the span and a receipt', () => {
  const link = new URL(viewLink('http://127.0.0.1:41807/token/', position))
  expect(link.pathname).toBe('/token/document')
  expect([...link.searchParams]).toEqual([
    ['key', 'reports/100% ä b#c?.pdf'],
    ['page', '3'],
    ['span', '10-250'],
    ['box', '0.1,0.25,0.9,1'],
    ['receipt', 'a-b'],
  ])
  expect(readCitation(link.searchParams)).toEqual({
    spans: [[10, 250]],
    boxes: [[0.1, 0.25, 0.9, 1]],
    receipt: 'a-b',
  })
  expect(viewLink('http://127.0.0.1:41807/token', position)).toBe(link.href)
  expect(`http://127.0.0.1:41807/token/${viewLink('', position)}`).toBe(link.href)
})

test('a link to a document without pages and receipts names its span', () => {
  const link = viewLink('', { ...position, pages: [], boxes: [], receipts: [] })
  expect([...new URL(link, 'http://x').searchParams.keys()]).toEqual(['key', 'span'])
})
