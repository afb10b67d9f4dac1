import { describe, expect, test } from 'vitest'
import { HygieneReader } from '#src/corpus/hygiene/hygiene.ts'
import { minHashes, shinglesOf } from '#src/corpus/hygiene/minhash.ts'
import { NearDuplicates } from '#src/corpus/hygiene/near-duplicates.ts'
import { personalDataIn } from '#src/corpus/hygiene/personal-data.ts'
import { brokenRules } from '#src/corpus/hygiene/quality.ts'
import { wordsOf } from '#src/corpus/hygiene/words.ts'
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

describe('near duplicates', () => {
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

  test('of a text without a run of five words are told by its words alone', () => {
    expect(minHashes(wordsOf('two words'))).toEqual(minHashes(wordsOf('Two, words!')))
    expect(minHashes(wordsOf('two words'))).not.toEqual(minHashes(wordsOf('words two')))
  })
})

describe('the hygiene of a chunk', () => {
  test('tells language, exact duplicates and what is nearly the same', async () => {
    const reader = await HygieneReader.open()
    const english =
      'The lock keeper counted the boats that passed the canal in the spring, and wrote their names into a book.'
    const german = 'Der Schleusenwärter zählte im Frühjahr die Boote auf dem Kanal und schrieb ihre Namen in ein Buch.'
    expect(reader.of({ id: idOf(1), body: english })).toMatchObject({
      language: 'en',
      duplicateOf: null,
      nearDuplicateOf: null,
    })
    expect(reader.of({ id: idOf(2), body: german })).toMatchObject({ language: 'de', duplicateOf: null })
    expect(reader.of({ id: idOf(3), body: `**${english.toUpperCase()}**` })).toMatchObject({
      duplicateOf: idOf(1),
      nearDuplicateOf: null,
    })
    expect(reader.of({ id: idOf(4), body: `${english} Indeed.` })).toMatchObject({
      duplicateOf: null,
      nearDuplicateOf: idOf(1),
    })
    expect(reader.of({ id: idOf(5), body: '---' })).toMatchObject({ language: null, duplicateOf: null })
    expect(reader.of({ id: idOf(6), body: '***' })).toMatchObject({ duplicateOf: null })
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

  test('names no rule for plain running text', () => {
    const text =
      'The keeper of the lock has to count the boats, and he writes them into that book. '.repeat(3) +
      'Each spring the water rises over the old wall with a sound of its own. The town is used to it by now. ' +
      'A boat that waits below has the right of way, as the rules say. The toll is paid at the upper gate by noon.'
    expect(brokenRules(text, wordsOf(text))).toEqual([])
  })
})
