import { expect, test } from 'vitest'
import { generatedReport } from '../../bench/corpus/generated-report.ts'
import { chunkDocument } from '#src/corpus/chunks/chunk-document.ts'
import { SearchIndex } from '#src/corpus/search/search-index.ts'
import { searchStore } from '#src/corpus/search/search-store.ts'
import { updateSearch } from '#src/corpus/search/update-search.ts'
import { openCounter } from '#src/corpus/tokens/open-counter.ts'
import { sourceKey } from '#src/document/ids.ts'
import type { OutputStore } from '#src/ports/output-store.ts'
import { letterOf, outputs, recordOf } from '../support/documents.ts'
import { MemoryStore } from '../support/memory-store.ts'
import { Random } from '../support/random.ts'
import { seedFrom } from '../support/seed.ts'
import { randomText } from './support/random-text.ts'
import { ALL, ask, put, summary, update } from './support/searched.ts'

const SEED = seedFrom('SEARCH_SEED', 1)

/** Number of random questions; 10,000 take a minute. */
const QUESTIONS = Number(process.env['SEARCH_QUESTIONS'] ?? 1_000)

/** The answer of a new index, which nothing but the present store decides. */
async function answerOfNew(store: OutputStore, question: string): Promise<unknown> {
  using index = new SearchIndex(':memory:')
  await updateSearch(index, store, update)
  return summary(await ask(index, store, question))
}

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

/** Ways in which a search does not read a document, or not all of it. */
const UNREAD = ['read', 'read', 'partial', 'failed', 'no_markdown', 'gone'] as const

interface Truth {
  readonly key: string
  readonly way: (typeof UNREAD)[number]
  readonly read: ReadonlySet<string>
  readonly all: ReadonlySet<string>
}

/** A document of random words of which a search reads all, some or none. */
async function putUnread(
  store: OutputStore,
  number: number,
  vocabulary: readonly string[],
  random: Random,
): Promise<Truth> {
  const way = UNREAD[number % UNREAD.length] ?? 'read'
  const words = Array.from({ length: 200 }, () => random.pick(vocabulary))
  const read = way === 'read' ? words : way === 'partial' ? words.slice(0, 100) : []
  const key = `${number}.pdf`
  if (way === 'failed') await store.deadLetters.bury(letterOf(key))
  else if (way === 'no_markdown') {
    const html = outputs({ 'document.html': words.join(' ') })
    await store.documents.commit(recordOf(key, html), html)
  } else if (way === 'gone') await put(store, key, words.join(' '), { goneAt: '2026-11-22T00:00:00.000Z' })
  else {
    const pages = { outcome: 'partial', pages: { parsed: 1, total: 2, truncated: true } }
    await put(store, key, read.join(' '), way === 'partial' ? pages : {})
  }
  return { key, way, read: new Set(read), all: new Set(words) }
}

test('1,000 answers of "not there" are right, or name what was not read', { timeout: 300_000 }, async () => {
  const random = new Random(SEED)
  const store = new MemoryStore()
  const vocabulary = Array.from({ length: 3_000 }, (_, number) => `w${number.toString(36)}x`)
  const truths: Truth[] = []
  for (let number = 0; number < 36; number++) truths.push(await putUnread(store, number, vocabulary, random))
  using index = new SearchIndex(':memory:')
  await updateSearch(index, store, update)
  let [there, named, nowhere] = [0, 0, 0]
  while (named + nowhere < 1_000) {
    const word = random.pick([...vocabulary, `absent${random.below(1_000)}`])
    const { hits, coverage } = await ask(index, store, word)
    const holding = truths.filter(({ all }) => all.has(word))
    const expected = truths.filter(({ read }) => read.has(word)).map(({ key }) => key)
    expect(new Set(hits.map(({ document }) => document)), `seed ${SEED}: ${word}`).toEqual(new Set(expected))
    if (hits.length > 0) there += 1
    else {
      const unread = new Map(coverage.examples.map(({ document, reason }) => [document, reason]))
      const reasons = holding.map(({ key }) => unread.get(sourceKey(key)))
      expect(reasons, `seed ${SEED}: ${word}`).toEqual(holding.map(({ way }) => way))
      if (holding.length > 0) named += 1
      else nowhere += 1
    }
  }
  expect([there > 100, named > 100, nowhere > 100]).toEqual([true, true, true])
})

/** Number of facts; of 1,000 the reports take a minute. */
const FACTS = Number(process.env['SEARCH_FACTS'] ?? 100)

test(`98 % of ${FACTS} facts of reports are within the first 20 hits`, { timeout: 600_000 }, async () => {
  const random = new Random(SEED)
  const store = new MemoryStore()
  const counter = await openCounter('o200k_base')
  const asked: { readonly key: string; readonly question: string; readonly bodies: readonly string[] }[] = []
  const plain = (text: string): string => text.replaceAll(/\s+/g, ' ')
  for (let number = 0; number < FACTS / 10; number++) {
    const { markdown, facts } = generatedReport(random, number)
    const key = `${number}.md`
    await put(store, key, markdown)
    const { chunks } = chunkDocument({ markdown, blocks: [], pages: [] }, { counter, limit: 256, overlap: 0 })
    for (const { needs, question } of facts) {
      const holding = chunks.filter(({ text }) => needs.every((need) => plain(text).includes(plain(need))))
      if (holding.length > 0) asked.push({ key, question, bodies: holding.map(({ body }) => body) })
    }
  }
  using index = new SearchIndex(':memory:')
  const listener = { ...update, openCounter: async () => counter }
  await updateSearch(index, store, listener)
  let found = 0
  for (let number = 0; number < FACTS; number++) {
    const { key, question, bodies } = random.pick(asked)
    const { hits } = await searchStore(index, store, question, { ...ALL, limit: 20 }, listener)
    if (hits.some(({ document, body }) => document === key && bodies.includes(body))) found += 1
  }
  console.log(`seed ${SEED}: ${found} of ${FACTS} facts are within the first 20 hits`)
  expect(found / FACTS).toBeGreaterThanOrEqual(0.98)
})
