import { expect, test } from 'vitest'
import { type DocumentRow, documentsParams } from '#src/view/api-schemas.ts'
import { DocumentIndex } from '#src/view/document-index.ts'
import { queryOf } from '#src/view/read-query.ts'
import { updateIndex } from '#src/view/update-index.ts'
import { letterOf, outputs, recordOf } from '../support/documents.ts'
import { MemoryStore } from '../support/memory-store.ts'

const row = (key: string, more: Partial<DocumentRow> = {}): DocumentRow => ({
  key,
  outcome: 'done',
  code: '',
  format: 'pdf',
  parser: 'service',
  credits: 1,
  pages: 2,
  grade: null,
  bytes: 10,
  at: '2026-11-22T10:00:00.000Z',
  note: '',
  ...more,
})

const found = (index: DocumentIndex, search: string): string[] =>
  index.find(queryOf(documentsParams.parse(Object.fromEntries(new URLSearchParams(search))))).rows.map(({ key }) => key)

test('the index finds documents by part of their name, filters, sorts and pages', () => {
  using index = new DocumentIndex(':memory:')
  index.beginPass()
  index.put('a', '1', row('reports/A.pdf', { credits: 5, grade: 0.4 }))
  index.put('b', '1', row('reports/b.html', { format: 'html', at: '2026-11-23T10:00:00.000Z' }))
  index.put(
    'failure:c',
    '1',
    row("c'; DROP TABLE documents; --.pdf", { outcome: 'failed', code: 'corrupt', credits: 0 }),
  )
  index.endPass()
  expect(found(index, '')).toEqual(["c'; DROP TABLE documents; --.pdf", 'reports/A.pdf', 'reports/b.html'])
  expect(found(index, 'q=reports/a')).toEqual(['reports/A.pdf'])
  expect(found(index, "q=c';")).toHaveLength(1)
  expect(found(index, 'outcome=failed')).toHaveLength(1)
  expect(found(index, 'code=corrupt&format=html')).toEqual([])
  expect(found(index, 'credits=5')).toEqual(['reports/A.pdf'])
  expect(found(index, 'grade=50')).toEqual(['reports/A.pdf'])
  expect(found(index, 'from=2026-11-23&to=2026-11-23')).toEqual(['reports/b.html'])
  expect(found(index, 'to=2026-11-22')).toHaveLength(2)
  expect(found(index, 'sort=credits&order=desc')[0]).toBe('reports/A.pdf')
  expect(found(index, 'page=2')).toEqual([])
  expect(index.facet('format')).toEqual([
    { value: 'pdf', count: 2 },
    { value: 'html', count: 1 },
  ])
  expect(index.totals()).toEqual({ documents: 3, credits: 6, pages: 6 })
})

test('the index sorts numbers in names as numbers', () => {
  using index = new DocumentIndex(':memory:')
  index.beginPass()
  for (const key of ['b1.pdf', 'a100.pdf', 'a2.pdf', 'a02.pdf', 'a10/2.pdf']) index.put(key, '1', row(key))
  const sorted = ['a02.pdf', 'a2.pdf', 'a10/2.pdf', 'a100.pdf', 'b1.pdf']
  expect(found(index, '')).toEqual(sorted)
  expect(found(index, 'order=desc')).toEqual(sorted.toReversed())
  expect(found(index, 'sort=pages')).toHaveLength(5)
})

test('the index keeps unchanged documents in a pass over the store, and removes those that are gone', () => {
  using index = new DocumentIndex(':memory:')
  index.beginPass()
  index.put('a', '1', row('a.pdf'))
  index.put('b', '1', row('b.pdf'))
  index.endPass()
  index.beginPass()
  expect(index.markSeen('a', '1')).toBe(true)
  expect(index.markSeen('b', '2')).toBe(false)
  index.endPass()
  expect(found(index, '')).toEqual(['a.pdf'])
})

test('a document that fails after it was done is listed once, as failed, until it succeeds again', async () => {
  const store = new MemoryStore()
  const files = outputs({ 'document.md': 'one' })
  using index = new DocumentIndex(':memory:')
  const update = async (): Promise<readonly string[]> => {
    await updateIndex(index, store, new AbortController().signal)
    return index.find(queryOf({})).rows.map(({ key, outcome }) => `${key} ${outcome}`)
  }
  await store.documents.commit(recordOf('a.pdf', files), files)
  await store.documents.commit(recordOf('b.pdf', files), files)
  expect(await update()).toEqual(['a.pdf done', 'b.pdf done'])
  await store.deadLetters.bury(letterOf('a.pdf'))
  expect(await update()).toEqual(['a.pdf failed', 'b.pdf done'])
  expect(await update()).toEqual(['a.pdf failed', 'b.pdf done'])
  await store.documents.commit(recordOf('a.pdf', files), files)
  expect(await update()).toEqual(['a.pdf done', 'b.pdf done'])
})
