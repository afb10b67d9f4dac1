import { copyFile, open, rename, rm, stat, truncate, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { coverageText } from '#src/corpus/search/coverage.ts'
import { parseQuery } from '#src/corpus/search/parse-query.ts'
import { SearchIndex } from '#src/corpus/search/search-index.ts'
import type { SearchAnswer } from '#src/corpus/search/search-store.ts'
import { StoreSearch } from '#src/corpus/search/store-search.ts'
import { updateSearch } from '#src/corpus/search/update-search.ts'
import { sourceKey } from '#src/document/ids.ts'
import { openFolderStore } from '#src/outputs/folder/folder-store.ts'
import type { OutputStore } from '#src/ports/output-store.ts'
import { letterOf, outputs, recordOf } from '../support/documents.ts'
import { MemoryStore } from '../support/memory-store.ts'
import { tempFolder } from '../support/temp-folder.ts'
import { withMethods } from '../support/with-methods.ts'
import { ALL, ask, documentsOf, put, storeOf, summary, update } from './support/searched.ts'

test('search ranks words, requires phrases and titles, and excludes', async () => {
  const store = await storeOf({
    'a.md': '# Repairs\n\nThe oak gates at Gannet Lock cost 4,512 pounds.',
    'b.md': '# Winter\n\nGates of steel. Oak was not used.',
    'c.md': '# Notes\n\nRepairs of the café in Ñuñoa.',
  })
  using index = new SearchIndex(':memory:')
  await updateSearch(index, store, update)
  const found = async (question: string): Promise<string[]> => documentsOf(await ask(index, store, question))
  expect(await found('gannet oak')).toEqual(['a.md', 'b.md'])
  expect(await found('"oak gates"')).toEqual(['a.md'])
  expect(await found('“oak gates” steel')).toEqual(['a.md'])
  expect(await found('oak -steel')).toEqual(['a.md'])
  expect(await found('repairs')).toEqual(['a.md', 'c.md'])
  expect(await found('title:repairs')).toEqual(['a.md'])
  expect(await found('CAFE nunoa')).toEqual(['c.md'])
  expect(await found('4,512')).toEqual(['a.md'])
  expect(await found('nowhere')).toEqual([])
  expect(await found('gannet OR AND NEAR( ^"')).toEqual(['a.md'])
})

test.each([
  ['東京', ['a']],
  ['京都', ['a', 'b']],
  ['都', ['a', 'b']],
  ['東京都庁の場所', ['a', 'b']],
  ['"東京都"', ['a']],
  ['ประเทศไทย', ['c']],
  ['서울', ['d']],
  ['ＡＩ技術', ['b']],
])('search finds %s in scripts without spaces', async (question, documents) => {
  const store = await storeOf({
    a: '東京都の人口は千四百万人です。',
    b: '京都のAI技術。',
    c: 'เมืองหลวงของประเทศไทยคือกรุงเทพ',
    d: '서울에서 만나요.',
  })
  using index = new SearchIndex(':memory:')
  await updateSearch(index, store, update)
  expect(documentsOf(await ask(index, store, question)).toSorted()).toEqual(documents)
})

test('search finds an item of a list by the items around it', async () => {
  const items = Array.from({ length: 60 }, (_, number) => `    - item ${number}: oak`)
  const store = await storeOf({ 'a.md': `# A\n\n- Kestrel reach\n  - Gradient\n${items.join('\n')}` })
  using index = new SearchIndex(':memory:')
  await updateSearch(index, store, update)
  const { hits } = await ask(index, store, '"kestrel reach" "item 59"')
  expect(hits.map(({ body }) => body.includes('item 59'))).toEqual([true])
})

test('search shows the matching words of a hit with its span', async () => {
  const store = await storeOf({
    'a.md': `# A\n\n${'Filler words here. '.repeat(30)}The \n sluice  gate leaks. ${'More. '.repeat(60)}`,
  })
  using index = new SearchIndex(':memory:')
  await updateSearch(index, store, update)
  const [hit] = (await ask(index, store, '"sluice gate" leaks')).hits
  expect(hit?.snippet.marks.map(([start, end]) => hit.snippet.text.slice(start, end))).toEqual(['sluice gate', 'leaks'])
  expect(hit?.snippet.text.length).toBeLessThan(260)
  expect(hit?.body).toContain('The \n sluice  gate leaks.')
})

test('search filters by key and condition, and groups by document', async () => {
  const store = await storeOf({
    'x/a.md': `# One\n\noak ${'word '.repeat(300)}\n\n# Two\n\noak ${'word '.repeat(300)}`,
    'y/b.md': 'oak',
  })
  using index = new SearchIndex(':memory:')
  await updateSearch(index, store, update)
  const { hits, coverage } = await ask(index, store, 'oak', { key: (key) => key.startsWith('x/') })
  expect(new Set(hits.map(({ document }) => document))).toEqual(new Set(['x/a.md']))
  expect(hits.length).toBeGreaterThan(1)
  expect(coverage.documents).toBe(1)
  expect(documentsOf(await ask(index, store, 'oak', { byDocument: true })).toSorted()).toEqual(['x/a.md', 'y/b.md'])
  expect(documentsOf(await ask(index, store, 'oak', { where: ({ tokens }) => tokens < 5 }))).toEqual(['y/b.md'])
  expect((await ask(index, store, 'oak', { limit: 1 })).more).toBe(true)
})

test('the coverage line names what was not searched', async () => {
  const store = await storeOf({ 'a.md': 'oak' })
  await put(store, 'part.pdf', 'pine', { outcome: 'partial', pages: { parsed: 3, total: 5, truncated: true } })
  await put(store, 'gone.md', 'oak', { goneAt: '2026-11-22T00:00:00.000Z' })
  const html = outputs({ 'document.html': 'oak' })
  await store.documents.commit(recordOf('page.html', html), html)
  await store.deadLetters.bury(letterOf('bad.pdf'))
  using index = new SearchIndex(':memory:')
  await updateSearch(index, store, update)
  const { hits, more, coverage } = await ask(index, store, 'elm')
  expect(coverageText(coverage, hits.length, more)).toBe(
    '0 hits in 2 documents; 1 document was read in part (2 pages are missing); 1 document failed; 1 document has no Markdown; 1 document is gone from the source',
  )
  expect(coverage.examples).toHaveLength(4)
  const { coverage: some } = await ask(index, store, 'elm', { key: (key) => key === 'bad.pdf' })
  expect(coverageText(some, 0, false)).toBe('0 hits in 0 documents; 1 document failed')
})

test('common words do not hide a rare one, and every hit is found', { timeout: 300_000 }, async () => {
  const store = new MemoryStore()
  const texts = Array.from({ length: 6_000 }, (_, number) =>
    number % 3 === 0 ? 'oak' : number % 3 === 1 ? 'elm' : 'oak elm',
  )
  for (const [number, text] of texts.entries()) await put(store, `${number}.md`, text)
  for (const number of [7, 4_000]) await put(store, `${number}.md`, 'oak pelican')
  using index = new SearchIndex(':memory:')
  await updateSearch(index, store, update)
  const { hits, more } = await ask(index, store, 'oak elm pelican', { limit: 6_000 })
  expect(
    documentsOf({ hits } as SearchAnswer)
      .slice(0, 2)
      .toSorted(),
  ).toEqual(['4000.md', '7.md'])
  expect([new Set(hits.map(({ id }) => id)).size, more]).toEqual([6_000, false])
  expect(documentsOf(await ask(index, store, 'elm oak', { limit: 1 }))).toHaveLength(1)
  const without = await ask(index, store, 'oak elm -pelican', { limit: 6_000 })
  expect(without.hits).toHaveLength(5_998)
})

test('a question is asked first for its rare words, then for one more, then for any', () => {
  const counts: Readonly<Record<string, number>> = { oak: 90_000, elm: 20_000, ash: 30_000 }
  const frequencies = { chunks: 100_000, of: (term: string) => counts[term] ?? null }
  const asked = (text: string): readonly string[] =>
    parseQuery(text, frequencies).matches.map(({ expression, times }) => `${times} ${expression}`)
  expect(asked('oak fir elm ash')).toEqual([
    '2 (((("fir"))) AND ((("fir") OR ("elm") OR ("elm") OR ("ash") OR ("ash"))))',
    '2 (((("fir") OR ("elm"))) AND ((("fir") OR ("elm") OR ("ash") OR ("ash"))))',
    '1 (("oak") OR ("fir") OR ("elm") OR ("ash"))',
  ])
  expect(asked('oak elm')).toEqual(['1 (("oak") AND ("elm"))', '1 (("elm"))', '1 (("oak") OR ("elm"))'])
  expect(asked('fir yew')).toEqual(['1 (("fir") OR ("yew"))'])
})

test.each([
  ['that is damaged', 'SQLite format 3\0 and nothing else'],
  ['of another program', 'a text of another program'],
  ['without content', ''],
])('an index file %s is replaced', async (_, content) => {
  await using folder = await tempFolder()
  const file = join(folder.path, 'index.sqlite')
  await writeFile(file, content)
  const store = await storeOf({ 'a.md': 'oak' })
  using index = new SearchIndex(file)
  await index.withRepair(async () => updateSearch(index, store, update))
  expect(documentsOf(await ask(index, store, 'oak'))).toEqual(['a.md'])
})

test('an index damaged in use is built again', async () => {
  await using folder = await tempFolder()
  const file = join(folder.path, 'index.sqlite')
  const store = await storeOf(
    Object.fromEntries([...Array(200).keys()].map((number) => [`${number}.md`, `oak ${'word '.repeat(200)}${number}`])),
  )
  {
    using index = new SearchIndex(file)
    await updateSearch(index, store, update)
  }
  await writeFile(file, Buffer.alloc(200_000, 7), { flag: 'r+' }).catch(() => undefined)
  await rm(`${file}-wal`, { force: true })
  using index = new SearchIndex(file)
  const answer = await index.withRepair(async () => {
    await updateSearch(index, store, update)
    return ask(index, store, 'oak')
  })
  expect(new Set(documentsOf(answer)).size).toBe(200)
})

test('two processes update one index in turn', async () => {
  await using folder = await tempFolder()
  const file = join(folder.path, 'index.sqlite')
  const store = await storeOf(
    Object.fromEntries([...Array(50).keys()].map((number) => [`${number}.md`, `oak ${number}`])),
  )
  using one = new SearchIndex(file)
  using other = new SearchIndex(file)
  await Promise.all([updateSearch(one, store, update), updateSearch(other, store, update)])
  expect((await ask(one, store, 'oak')).hits).toHaveLength(50)
  expect(summary(await ask(one, store, 'oak'))).toEqual(summary(await ask(other, store, 'oak')))
})

test('a read-only store is searched without a change feed', async () => {
  const store = await storeOf({ 'a.md': 'oak', 'b.md': 'oak' })
  const refuse = async (): Promise<never> => {
    throw new Error('read-only')
  }
  const readOnly = withMethods<OutputStore>(store, { feed: withMethods(store.feed, { create: refuse }) })
  using index = new SearchIndex(':memory:')
  await updateSearch(index, readOnly, update)
  await store.documents.remove(sourceKey('b.md'))
  await put(store, 'c.md', 'oak')
  await updateSearch(index, readOnly, update)
  expect(documentsOf(await ask(index, readOnly, 'oak')).toSorted()).toEqual(['a.md', 'c.md'])
})

test('a hit of a changed document is divided again before it is shown', async () => {
  const store = await storeOf({ 'a.md': 'oak before', 'b.md': 'oak' })
  using index = new SearchIndex(':memory:')
  await updateSearch(index, store, update)
  await put(store, 'a.md', '# New\n\nMoved: oak after')
  await store.documents.remove(sourceKey('b.md'))
  const { hits } = await ask(index, store, 'oak')
  expect(hits.map(({ document, body }) => [document, body])).toEqual([['a.md', '# New\n\nMoved: oak after']])
})

test('a document whose folder comes back is found again, and counts as damaged until then', async () => {
  await using folder = await tempFolder()
  await using store = await openFolderStore({ path: folder.path })
  await put(store, 'a.pdf', 'oak')
  using index = new SearchIndex(':memory:')
  await updateSearch(index, store, update)
  await rename(join(folder.path, 'documents/a.pdf'), join(folder.path, 'away'))
  const away = await ask(index, store, 'oak')
  expect([away.hits, away.coverage.unread.damaged]).toEqual([[], 1])
  await rename(join(folder.path, 'away'), join(folder.path, 'documents/a.pdf'))
  await updateSearch(index, store, update)
  expect(documentsOf(await ask(index, store, 'oak'))).toEqual(['a.pdf'])
  await ask(index, store, 'oak')
  await store.documents.remove(sourceKey('a.pdf'))
  await ask(index, store, 'oak')
  await updateSearch(index, store, update)
  expect((await ask(index, store, 'oak')).coverage).toMatchObject({ documents: 0, unread: { damaged: 0 } })
})

test('the coverage names a folder whose record cannot be read', async () => {
  await using folder = await tempFolder()
  await using store = await openFolderStore({ path: folder.path })
  await put(store, 'a.pdf', 'oak')
  await put(store, 'b.pdf', 'oak')
  await truncate(join(folder.path, 'documents/a.pdf/record.json'), 20)
  using index = new SearchIndex(':memory:')
  await updateSearch(index, store, update)
  const { hits, coverage } = await ask(index, store, 'oak')
  expect([hits.length, coverage.unread.failed]).toEqual([1, 1])
  expect(coverage.examples).toEqual([{ document: 'documents/a.pdf', reason: 'failed' }])
})

test('an index that cannot be written is named with a remedy', async () => {
  await using folder = await tempFolder()
  await writeFile(join(folder.path, 'file'), '')
  const file = join(folder.path, 'file', 'index.sqlite')
  expect(() => new SearchIndex(file)).toThrow(`the search index ${file} cannot be written`)
})

test('an index that is damaged during a question is built again before the answer', async () => {
  await using folder = await tempFolder()
  await using store = await openFolderStore({ path: join(folder.path, 'store') })
  for (let number = 0; number < 100; number++) await put(store, `${number}.pdf`, `oak ${'word '.repeat(200)}${number}`)
  const file = join(folder.path, 'index.sqlite')
  const listener = { progress: () => undefined, signal: update.signal }
  {
    using search = new StoreSearch(store, file)
    await search.update(listener)
  }
  const pages = (await stat(file)).size / 4096
  const found: number[] = []
  for (let page = 2; page < pages; page += 3) {
    await using copy = await tempFolder()
    const damaged = join(copy.path, 'index.sqlite')
    await copyFile(file, damaged)
    const handle = await open(damaged, 'r+')
    await handle.write(Buffer.alloc(4096), 0, 4096, page * 4096)
    await handle.close()
    using search = new StoreSearch(store, damaged)
    found.push((await search.answer('oak', ALL, listener)).hits.length)
  }
  expect(new Set(found)).toEqual(new Set([100]))
})

test('a question longer than 64 words states what it does not search', () => {
  const question = Array.from({ length: 100 }, (_, number) => `word${number}`).join(' ')
  expect(parseQuery(question).ignored).toBe(36)
  expect(parseQuery('- "" ( )').matches).toEqual([])
})
