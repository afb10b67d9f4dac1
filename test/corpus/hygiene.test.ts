import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { HygieneReader } from '#src/corpus/hygiene/hygiene.ts'
import { minHashes, shinglesOf } from '#src/corpus/hygiene/minhash.ts'
import { NearDuplicates } from '#src/corpus/hygiene/near-duplicates.ts'
import { personalDataIn } from '#src/corpus/hygiene/personal-data.ts'
import { brokenRules } from '#src/corpus/hygiene/quality.ts'
import { wordsOf } from '#src/corpus/hygiene/words.ts'
import { Random } from '../support/random.ts'

const idOf = (number: number): string => `${number.toString(16).padStart(8, '0')}-0000-8000-8000-000000000000`

/** A text, and the rules that the Gopher filters of datatrove (a649de79) find broken, with words split at white space. */
interface Example {
  readonly text: string
  readonly broken: readonly string[]
}

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
  test('are found at a true similarity of 0.8, estimated within 0.1, and hardly any below 0.65', () => {
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

  test('of a text without a run of five words depend on its words alone', () => {
    expect(minHashes(wordsOf('two words'))).toEqual(minHashes(wordsOf('Two, words!')))
    expect(minHashes(wordsOf('two words'))).not.toEqual(minHashes(wordsOf('words two')))
  })
})

test.each([
  ['a megabyte without a space', 'abcdefghij'.repeat(100_000)],
  ['comparisons without a tag', 'if a < b then '.repeat(100_000)],
  ['tables that are never closed', 'one <table two '.repeat(100_000)],
  ['comments that are never closed', 'one <!-- two '.repeat(100_000)],
])('a document of %s is read in a time that grows with its length', async (_what, text) => {
  // The square of its length is more than the test may take.
  const reader = await HygieneReader.open()
  const english = 'The lock keeper counted the boats that passed the canal in the spring, and wrote their names down. '
  expect(reader.languageOf(text).language).toBeNull()
  expect(reader.languageOf(english.repeat(20) + text.slice(0, 100)).language).toBe('en')
})

describe('the hygiene of a chunk', () => {
  test('names exact duplicates and what is nearly the same', async () => {
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

  test('takes its language from its document, and another one where it is clear', async () => {
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

  test.each([
    ['gopher_word_count', 'Too few words.'],
    ['gopher_bullets', '- one\n- two\n- three'],
    ['gopher_ellipses', 'One …\nTwo …\nThree.'],
    ['gopher_duplicate_lines', 'Same line.\nSame line.\nSame line.'],
    ['gopher_alphabetic', '1 2 3 4 5 six'],
    ['c4_curly_bracket', 'function () { }'],
    ['c4_lorem_ipsum', 'Lorem ipsum dolor.'],
  ] as const)('names the rule that a text breaks: %s', (rule, text) => {
    expect(brokenRules(text, wordsOf(text))).toContain(rule)
  })

  /** `unique` words of four letters that are all different, and the first `size` of them again, `times` times. */
  const repeating = (unique: number, size: number, times: number): string => {
    const words = Array.from({ length: unique }, (_, number) => `w${String(number).padStart(3, '0')}`)
    return [...words, ...Array.from({ length: times }, () => words.slice(0, size)).flat()].join(' ')
  }

  test.each([
    // Shares as datatrove counts them: characters of the words of repeated runs, of all characters.
    ['gopher_duplicate_n_grams', 5, 0.15],
    ['gopher_duplicate_n_grams', 6, 0.14],
    ['gopher_duplicate_n_grams', 7, 0.13],
    ['gopher_duplicate_n_grams', 8, 0.12],
    ['gopher_duplicate_n_grams', 9, 0.11],
    ['gopher_duplicate_n_grams', 10, 0.1],
  ] as const)('%s begins where runs of %i words are over %d of the text', (rule, size, most) => {
    const share = (text: string): number => (4 * size) / text.length
    // Shorter runs that lie in the repeated one have no more characters, and thresholds that are higher.
    const texts = Array.from({ length: 90 }, (_, more) => repeating(size + more, size, 1))
    const over = texts.filter((text) => share(text) > most)
    expect(over.length).toBeGreaterThan(0)
    for (const text of over) expect(brokenRules(text, wordsOf(text))).toContain(rule)
    const lowest = texts.filter((text) => share(text) <= 0.1)
    expect(lowest.length).toBeGreaterThan(0)
    for (const text of lowest) expect(brokenRules(text, wordsOf(text))).not.toContain(rule)
    const below = texts[over.length] ?? ''
    expect(brokenRules(below, wordsOf(below)).includes(rule)).toBe(false)
  })

  test.each([
    ['gopher_top_2_gram', 2, 0.2],
    ['gopher_top_3_gram', 3, 0.18],
    ['gopher_top_4_gram', 4, 0.16],
  ] as const)('%s begins where the most frequent run of %i words is over %d of the text', (rule, size, most) => {
    const texts = Array.from({ length: 60 }, (_, more) => repeating(size + more, size, 2))
    for (const text of texts) {
      const share = (3 * (5 * size - 1)) / text.length
      expect(brokenRules(text, wordsOf(text)).includes(rule), text).toBe(share > most)
    }
  })

  test.each([
    ['gopher_duplicate_lines', '\n'],
    ['gopher_duplicate_paragraphs', '\n\n'],
  ] as const)('%s begins over 0.3 of the parts, or 0.2 of the characters', (rule, joint) => {
    const broken = (parts: readonly string[]): boolean => {
      const text = parts.join(joint)
      return brokenRules(text, wordsOf(text)).includes(rule)
    }
    const long = Array.from({ length: 7 }, (_, number) => `${number}${' long'.repeat(20)}`)
    expect(broken([...long, 'a', 'a', 'a', 'a'])).toBe(false)
    expect(broken([...long.slice(0, 6), 'a', 'a', 'a', 'a'])).toBe(false)
    expect(broken([...long.slice(0, 5), 'a', 'a', 'a', 'a'])).toBe(true)
    expect(broken([...long, long[0] ?? ''])).toBe(false)
    expect(broken([...long.slice(0, 3), long[0] ?? ''])).toBe(true)
  })

  test('breaks the rules of Gopher that datatrove finds broken, signs alone apart', async () => {
    const file = join(import.meta.dirname, 'support/datatrove-examples.json')
    const examples = JSON.parse(await readFile(file, 'utf8')) as readonly Example[]
    const known = new Set(examples.flatMap(({ broken }) => broken))
    expect(known.size).toBe(12)
    for (const { text, broken } of examples) {
      // There a list marker is a word without letters.
      const isCompared = (rule: string): boolean =>
        rule.startsWith('gopher_') && (rule !== 'gopher_alphabetic' || !/^- /m.test(text))
      const ours = brokenRules(text, wordsOf(text)).filter(isCompared)
      expect(ours, text).toEqual(expect.arrayContaining(broken.filter(isCompared)))
      expect(ours, text).toHaveLength(broken.filter(isCompared).length)
    }
  })

  test('names no rule for plain running text', () => {
    const text =
      'The keeper of the lock has to count the boats, and he writes them into that book. ' +
      'In summer his son does the same with a pencil, which the rain does not wash out. ' +
      'What was counted goes to the office at the end of each month, where it is added up. ' +
      'Each spring the water rises over the old wall with a sound of its own. The town is used to it by now. ' +
      'A boat that waits below has the right of way, as the rules say. The toll is paid at the upper gate by noon.'
    expect(brokenRules(text, wordsOf(text))).toEqual([])
  })
})
