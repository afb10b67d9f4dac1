import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { coverageText } from '#src/corpus/search/coverage.ts'
import { parseQuery } from '#src/corpus/search/parse-query.ts'
import { SearchIndex } from '#src/corpus/search/search-index.ts'
import { searchStore, type SearchAnswer, type SearchOptions } from '#src/corpus/search/search-store.ts'
import { updateSearch } from '#src/corpus/search/update-search.ts'
import { sourceKey } from '#src/document/ids.ts'
import type { OutputStore } from '#src/ports/output-store.ts'
import { letterOf, outputs, recordOf } from '../support/documents.ts'
import { MemoryStore } from '../support/memory-store.ts'
import { Random } from '../support/random.ts'
import { seedFrom } from '../support/seed.ts'
import { tempFolder } from '../support/temp-folder.ts'
import { withMethods } from '../support/with-methods.ts'
import { randomText } from './support/random-text.ts'
import { wordCounter } from './support/word-counter.ts'

const SEED = seedFrom('SEARCH_SEED', 1)

/** Number of random questions; 10,000 take a minute. */
const QUESTIONS = Number(process.env['SEARCH_QUESTIONS'] ?? 1_000)

const update = {
  openCounter: async () => wordCounter,
  progress: () => undefined,
  signal: new AbortController().signal,
}

const ALL: SearchOptions = { limit: 1_000, key: null, where: null, byDocument: false }

const ask = (index: SearchIndex, store: OutputStore, question: string, options: Partial<SearchOptions> = {}) =>
  searchStore(index, store, question, { ...ALL, ...options }, update)

async function put(store: OutputStore, key: string, markdown: string, changes = {}): Promise<void> {
  const files = outputs({ 'document.md': markdown })
  await store.documents.commit(recordOf(key, files, changes), files)
}

async function storeOf(texts: Readonly<Record<string, string>>): Promise<MemoryStore> {
  const store = new MemoryStore()
  for (const [key, text] of Object.entries(texts)) await put(store, key, text)
  return store
}

const documentsOf = ({ hits }: SearchAnswer): string[] => hits.map(({ document }) => document)

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

/** The answer of a new index, which nothing but the present store decides. */
async function answerOfNew(store: OutputStore, question: string): Promise<unknown> {
  using index = new SearchIndex(':memory:')
  await updateSearch(index, store, update)
  return summary(await ask(index, store, question))
}

const summary = ({ hits, coverage }: SearchAnswer): unknown => ({
  coverage: { ...coverage, examples: coverage.examples.map((one) => JSON.stringify(one)).toSorted() },
  hits: hits.map(({ id, markdownSpan, body }) => `${id} ${markdownSpan.join('-')} ${body}`).toSorted(),
})

const WORDS = ['oak', 'gate', 'lock', 'winter', 'leak', 'canal']

async function changeAnything(store: OutputStore, random: Random): Promise<void> {
  const key = `${random.below(12)}.md`
  const roll = random.below(8)
  if (roll === 0) return store.documents.remove(sourceKey(key))
  if (roll === 1) return store.deadLetters.bury(letterOf(key))
  const text = Array.from({ length: 1 + random.below(600) }, () => random.pick(WORDS)).join(' ')
  const gone = roll === 2 ? { goneAt: '2026-11-22T00:00:00.000Z' } : {}
  await put(store, key, `# ${random.pick(WORDS)}\n\n${text}`, gone)
}

test('an updated index answers like a new one after any changes', { timeout: 300_000 }, async () => {
  const random = new Random(SEED)
  const store = new MemoryStore()
  using index = new SearchIndex(':memory:')
  for (let round = 0; round < 40; round++) {
    for (let change = random.below(6); change > 0; change--) await changeAnything(store, random)
    if (random.chance(0.7)) await updateSearch(index, store, update)
    const question = `${random.pick(WORDS)} ${random.pick(WORDS)}`
    const answer = await ask(index, store, question)
    for (const { document, markdownSpan, body } of answer.hits) {
      const markdown = await store.documents.readOutput(document, 'document.md')
      expect(markdown?.toString().slice(...markdownSpan), `seed ${SEED}, round ${round}`).toBe(body)
    }
    await updateSearch(index, store, update)
    expect(summary(await ask(index, store, question)), `seed ${SEED}, round ${round}`).toEqual(
      await answerOfNew(store, question),
    )
  }
})

test(`${QUESTIONS} random questions neither fail nor cite wrongly`, { timeout: 300_000 }, async () => {
  const random = new Random(SEED)
  const store = new MemoryStore()
  const scripts = ['latin', 'han', 'wild', 'mixed']
  for (let number = 0; number < 24; number++) await put(store, `${number}.md`, randomText(random, random.pick(scripts)))
  const texts = new Map<string, string>()
  for (let number = 0; number < 24; number++) {
    const markdown = await store.documents.readOutput(sourceKey(`${number}.md`), 'document.md')
    texts.set(`${number}.md`, markdown?.toString() ?? '')
  }
  using index = new SearchIndex(':memory:')
  await updateSearch(index, store, update)
  const parts = [
    '"',
    "'",
    '-',
    'title:',
    '(',
    ')',
    '*',
    '^',
    'NEAR(',
    ' OR ',
    ' AND ',
    ' NOT ',
    ':',
    '{headings}',
    '\0',
    '+',
    ',',
    '\\',
  ]
  let found = 0
  for (let number = 0; number < QUESTIONS; number++) {
    const length = random.below(100) === 0 ? 10_000 : random.pick([3, 20, 100])
    let question = ''
    while (question.length < length) {
      question += random.chance(0.3)
        ? random.pick(parts)
        : `${randomText(random, random.pick(scripts)).slice(0, 1 + random.below(30))} `
    }
    const { hits } = await ask(index, store, question.slice(0, length), { limit: 5 })
    found += hits.length
    for (const { document, markdownSpan, body, snippet } of hits) {
      if (texts.get(document)?.slice(...markdownSpan) !== body)
        throw new Error(`seed ${SEED}: wrong span for ${question}`)
      if (snippet.marks.some(([start, end]) => start >= end || end > snippet.text.length))
        throw new Error(`seed ${SEED}: wrong mark for ${question}`)
    }
  }
  expect(found).toBeGreaterThan(QUESTIONS)
})

test('1,000 answers of "not there" agree with a reading of every document', { timeout: 300_000 }, async () => {
  const random = new Random(SEED)
  const store = new MemoryStore()
  const vocabulary = Array.from({ length: 400 }, (_, number) => `w${number.toString(36)}x`)
  const texts = Array.from({ length: 30 }, () => Array.from({ length: 200 }, () => random.pick(vocabulary)))
  for (const [number, words] of texts.entries()) await put(store, `${number}.md`, words.join(' '))
  using index = new SearchIndex(':memory:')
  await updateSearch(index, store, update)
  for (let number = 0; number < 1_000; number++) {
    const words = Array.from({ length: 1 + random.below(2) }, () => random.pick([...vocabulary, 'absent']))
    const isThere = texts.some((text) => ` ${text.join(' ')} `.includes(` ${words.join(' ')} `))
    const { hits } = await ask(index, store, `"${words.join(' ')}"`)
    // A phrase across two chunks is in neither.
    if (!isThere || words.length === 1) expect(hits.length > 0, words.join(' ')).toBe(isThere)
  }
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

test('a question longer than 64 words states what it does not search', () => {
  const question = Array.from({ length: 100 }, (_, number) => `word${number}`).join(' ')
  expect(parseQuery(question).ignored).toBe(36)
  expect(parseQuery('- "" ( )').matches).toEqual([])
})
