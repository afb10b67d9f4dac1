import { describe, expect, test } from 'vitest'
import { HygieneReader, wordsOf } from '#src/corpus/hygiene/hygiene.ts'
import { minHashes, shinglesOf, NearDuplicates } from '#src/corpus/hygiene/near-duplicates.ts'
import { personalDataIn } from '#src/corpus/hygiene/personal-data.ts'
import { Random } from '../support/random.ts'

const idOf = (number: number): string => `${number.toString(16).padStart(8, '0')}-0000-8000-8000-000000000000`

const jaccard = (one: readonly string[], other: readonly string[]): number => {
  const [a, b] = [shinglesOf(one), shinglesOf(other)]
  const shared = [...a].filter((shingle) => b.has(shingle)).length
  return shared / (a.size + b.size - shared)
}

const randomWords = (random: Random, count: number): string[] =>
  Array.from({ length: count }, () => `w${random.below(5000)}`)

/** Some of the words are others: one changes up to five runs. */
function altered(random: Random, words: readonly string[], changes: number): string[] {
  const next = [...words]
  for (let change = 0; change < changes; change++) next[random.below(next.length)] = `x${random.below(1e6)}`
  return next
}

describe('near duplicates of chunks', () => {
  test('are found at a similarity of 0.8, estimated within 0.1, and rarely below 0.65', () => {
    const random = new Random(7)
    const near = new NearDuplicates()
    const tally = { alike: 0, found: 0, apart: 0, wrong: 0, farOff: 0 }
    for (let pair = 0; pair < 300; pair++) {
      const words = randomWords(random, 150 + random.below(150))
      const other = altered(random, words, random.below(20))
      const truth = jaccard(words, other)
      near.add(idOf(2 * pair), words)
      const found = near.add(idOf(2 * pair + 1), other)
      expect([null, idOf(2 * pair)]).toContain(found?.id ?? null)
      if (truth >= 0.8) tally.alike += 1
      if (truth >= 0.8 && found !== null) tally.found += 1
      if (truth < 0.65) tally.apart += 1
      if (truth < 0.65 && found !== null) tally.wrong += 1
      if (found !== null && Math.abs(found.similarity - truth) > 0.1) tally.farOff += 1
    }
    expect(tally.alike).toBeGreaterThan(50)
    expect(tally.apart).toBeGreaterThan(50)
    expect(tally.found / tally.alike).toBeGreaterThanOrEqual(0.95)
    expect(tally.wrong / tally.apart).toBeLessThanOrEqual(0.02)
    expect(tally.farOff).toBe(0)
  })

  test('of a text without five consecutive words depend on its words alone', () => {
    expect(minHashes(wordsOf('two words'))).toEqual(minHashes(wordsOf('Two, words!')))
    expect(minHashes(wordsOf('two words'))).not.toEqual(minHashes(wordsOf('words two')))
  })
})

test.each([
  ['a megabyte without a space', 'abcdefghij'.repeat(100_000)],
  ['comparisons without a tag', 'if a < b then '.repeat(100_000)],
  ['tables that are never closed', 'one <table two '.repeat(100_000)],
  ['comments that are never closed', 'one <!-- two '.repeat(100_000)],
])('the hygiene check reads a document of %s in linear time', async (_what, text) => {
  // The square of its length is more than the test may take.
  const reader = await HygieneReader.open()
  const english = 'The lock keeper counted the boats that passed the canal in the spring, and wrote their names down. '
  expect(reader.languageOf(text).language).toBeNull()
  expect(reader.languageOf(english.repeat(20) + text.slice(0, 100)).language).toBe('en')
})

describe('the hygiene of a chunk', () => {
  test('names exact and near duplicates', async () => {
    const reader = await HygieneReader.open()
    const english =
      'The lock keeper counted the boats that passed the canal in the spring, and wrote their names into a book.'
    const language = reader.languageOf(english)
    expect(reader.of({ id: idOf(1), body: english }, language)).toMatchObject({
      language: 'en',
      duplicateOf: null,
      nearDuplicateOf: null,
    })
    expect(reader.of({ id: idOf(3), body: `**${english.toUpperCase()}**` }, language)).toMatchObject({
      duplicateOf: idOf(1),
      nearDuplicateOf: null,
    })
    expect(reader.of({ id: idOf(4), body: `${english} Indeed.` }, language)).toMatchObject({
      duplicateOf: null,
      nearDuplicateOf: idOf(1),
    })
    expect(reader.of({ id: idOf(5), body: '---' }, language)).toMatchObject({ duplicateOf: null })
    expect(reader.of({ id: idOf(6), body: '***' }, language)).toMatchObject({ duplicateOf: null })
  })

  test('takes the language of its document unless its own is clear', async () => {
    const reader = await HygieneReader.open()
    const english =
      'The lock keeper counted the boats that passed the canal in the spring, and wrote their names into a book. '
    const cars =
      'Audi A4 Avant, Audi A6 allroad quattro, Volkswagen Passat, Škoda Octavia, Porsche Cayenne, Mercedes-Benz, Ingolstadt, Wolfsburg.'
    const table = '| Jan | Peb | Mar |\n| --- | --- | --- |\n| nuqneH | tlhIngan Hol | Qapla |'
    const german =
      'Der Schleusenwärter zählte im Frühjahr die Boote auf dem Kanal und schrieb ihre Namen in ein Buch. Als der Sommer kam, ' +
      'wurden es so viele, dass seine Tochter ihm helfen musste. Am Abend saßen sie am Ufer, verglichen ihre Listen mit denen ' +
      'vom vergangenen Jahr und wunderten sich, woher die fremden Flaggen stammten, die niemand im Dorf kannte.'
    const chinese =
      '船闸管理员在春天数了经过运河的船只，并把它们的名字写进一本书里。夏天来了，船太多，他的女儿不得不帮忙，他们每天晚上都一起比较名单。'
    const code = '```\nconst schleuse = boote.filter((boot) => boot.jahr === 1842)\n```'
    const document = reader.languageOf([english.repeat(40), cars, table, code, german, chinese].join('\n\n'))
    const languageIn = (body: string): unknown => reader.of({ id: idOf(1), body }, document).language
    expect(document).toMatchObject({ language: 'en', languageConfidence: expect.any(Number) })
    expect([english, cars, table, code, german.slice(0, 98), '| 1 | 2 |'].map(languageIn)).toEqual(Array(6).fill('en'))
    expect([german, chinese].map(languageIn)).toEqual(['de', 'zh'])
    // Klingon and Esperanto are in no list; a few words decide nothing, however often they are repeated.
    for (const unknown of [
      'tlhIngan maH! taHjaj wo’! Qapla’ batlh je. nuqDaq ’oH puchpa’’e’? Heghlu’meH QaQ jajvam. bortaS bIr jablu’DI’ reH QaQqu’ nay’.',
      'La gardisto de la kluzo nombris la boatojn, kiuj printempe pasis la kanalon, kaj skribis iliajn nomojn en libron, ĉar li ŝatis ilin.',
      'Section Paragraph '.repeat(50),
      '| total | 1 |\n| --- | --- |\n'.repeat(50),
    ])
      expect(reader.languageOf(unknown)).toMatchObject({ language: null, languageConfidence: null })
  })

  test.each([
    ['email', 'Write to jane.doe+x@mail.example.org.', 'Not one: jane@ home, @jane.'],
    ['phone', 'Call +44 20 7946 0958 or tel. 030 1234567.', 'Pages 1234567 to 2234567, 2024-01-02.'],
    ['iban', 'IBAN DE89 3704 0044 0532 0130 00 is ours.', 'IBAN DE89 3704 0044 0532 0130 01 is not.'],
    ['card', 'Card 4111 1111 1111 1111.', 'Number 4111 1111 1111 1112.'],
    ['ip', 'It came from 192.168.0.17.', 'Version 1.2.3.4.5 and 300.1.1.1.'],
  ])('flags personal data: %s', (kind, text, other) => {
    expect(personalDataIn(text)).toContain(kind)
    expect(personalDataIn(other)).not.toContain(kind)
  })
})

test('a document is a duplicate of the first with the same words', async () => {
  const reader = await HygieneReader.open()
  const of = (key: string, text: string) => reader.duplicateDocument(key, text)
  expect([
    of('a.md', 'One two.'),
    of('b.md', '# one TWO'),
    of('c.md', 'two one'),
    of('d.md', '—'),
    of('e.md', '…'),
  ]).toEqual([null, 'a.md', null, null, null])
})
