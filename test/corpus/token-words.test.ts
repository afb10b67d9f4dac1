import { readFile, writeFile } from 'node:fs/promises'
import { beforeAll, describe, expect, test } from 'vitest'
import { MAX_LIMIT, type TokenCounter, type TokenWords } from '#src/corpus/chunks/chunk.ts'
import { openMeter } from '#src/corpus/chunks/pack.ts'
import { WholeMeter } from '#src/corpus/chunks/whole-meter.ts'
import { ENCODING_NAMES, openEncoding } from '#src/corpus/tokens/open-counter.ts'
import { openTokenizerFile } from '#src/corpus/tokens/tokenizer-file.ts'
import { Random } from '../support/random.ts'
import { tempFolder } from '../support/temp-folder.ts'
import { randomText } from './support/random-text.ts'
import { writeTokenizers } from './support/tokenizer-files.ts'
import { seedFrom } from '../support/seed.ts'
import { shared } from '../support/shared.ts'

/** `WORDS_SEED=7 WORDS_TEXTS=5000` plays other texts, or more. */
const SEED = seedFrom('WORDS_SEED', 1)
const TEXTS = Number(process.env['WORDS_TEXTS'] ?? 20)

/** What stands at the borders of words, and what normalizers take away or put in. */
const BORDERS = [
  ' ',
  '  ',
  '\n',
  '\n\n',
  ' \n ',
  '\t',
  '\r\n',
  '\u00a0',
  '\ufeff',
  '\u000b',
  '\f',
  '\u0000',
  '\u200d',
  '\u2028',
  "'s",
  "'LL",
  '/',
  '//\n/',
  '?\n\n',
  '漢',
  'ας',
  '≠',
  '\u0301',
  '-',
  '<|endoftext|>',
  '\ud800',
  '12345',
  '👩‍👩‍👧‍👦',
  'İ',
]

const folder = await shared(tempFolder())

describe('the words of a tokenizer', () => {
  const counters: (TokenCounter & { readonly words: TokenWords })[] = []

  beforeAll(async () => {
    const { wordPiece, bytePairs } = await writeTokenizers(folder.path)
    const encodings = ENCODING_NAMES.map(async (name) => openEncoding(name))
    const opened = [
      ...(await Promise.all(encodings)),
      await openTokenizerFile(wordPiece),
      await openTokenizerFile(bytePairs),
    ]
    for (const counter of opened) {
      if (counter.words === null || counter.words === undefined) throw new Error(`${counter.name} has no words`)
      counters.push({ ...counter, words: counter.words })
    }
  })

  test(
    `yield the exact count of any range after any context, in ${TEXTS} random texts from seed ${SEED}`,
    { timeout: 3_600_000 },
    () => {
      const wrong: string[] = []
      let byWords = 0
      for (let seed = SEED; seed < SEED + TEXTS; seed++) {
        const random = new Random(seed)
        const text = mixed(random)
        for (const counter of counters) {
          const meter = openMeter(text, counter, MAX_LIMIT)
          if (!(meter instanceof WholeMeter)) byWords += 1
          for (let round = 0; round < 12; round++) {
            const [start = 0, end = 0] = [random.below(text.length), random.below(text.length)].toSorted(
              (a, b) => a - b,
            )
            const from = random.below(text.length)
            const above = text.slice(from, from + random.below(60)).trim()
            const context = random.below(2) === 0 ? '' : above + random.pick(['\n', '\n\n', '\n| | '])
            const [counted, truth] = [
              meter.totalTokens(context, start, end),
              counter.count(context + text.slice(start, end)),
            ]
            if (counted !== truth) {
              wrong.push(
                `seed ${seed}, ${counter.name}: ${counted} for ${truth} in ${JSON.stringify(context + text.slice(start, end))}`,
              )
            }
          }
        }
      }
      expect(wrong.slice(0, 5)).toEqual([])
      expect(byWords).toBeGreaterThan(TEXTS * 4)
    },
  )

  test('are unknown for a file whose tokens may cross white space', async () => {
    const path = `${folder.path}/other.json`
    const { wordPiece } = await writeTokenizers(folder.path)
    const definition = JSON.parse(await readFile(wordPiece, 'utf8')) as { added_tokens: object[] }
    const added = { ...definition.added_tokens[0], id: 5000, content: 'two words' }
    await writeFile(path, JSON.stringify({ ...definition, added_tokens: [...definition.added_tokens, added] }))
    expect((await openTokenizerFile(path)).words).toBeNull()
  })
})

function mixed(random: Random): string {
  const parts = Array.from({ length: 1 + random.below(40) }, () =>
    random.below(3) === 0
      ? randomText(random, random.pick(['latin', 'mixed', 'han', 'wild'])).slice(0, 1 + random.below(80))
      : random.pick(BORDERS),
  )
  return `a${parts.join('')}`
}
