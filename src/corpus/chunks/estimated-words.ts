import type { TokenCounter, TokenWords } from './chunk.ts'
import { wordsOf } from './words.ts'

const SPACELESS = '\\p{Script=Han}\\p{Script=Hiragana}\\p{Script=Katakana}\\p{Script=Thai}'

/** A word, up to three digits, signs, one character of a script without spaces, or white space with a line break. */
const WORD = new RegExp(
  `[^\\S\\n]*(?:[a-zA-Z]+|[${SPACELESS}]|(?:(?![${SPACELESS}])[\\p{L}\\p{M}])+|\\p{N}{1,3}|[^\\s\\p{L}\\p{M}\\p{N}]+)|\\s+`,
  'gu',
)

const known = new WeakMap<TokenCounter, TokenWords>()

/** Shows whether the space before a word belongs to its tokens, or is added by the tokenizer to every text. */
const SAMPLE =
  'The keeper was told of 3 spare gates | 4512 | 87 | (see "Costs"), and of 12,5 % more in time for winter.'

/**
 * Words of a text for a tokenizer of which no more than counts are known: their counts add up to an estimate of the text's. Each
 * is counted once.
 */
export function estimatedWords(counter: TokenCounter): TokenWords {
  const opened = known.get(counter)
  if (opened !== undefined) return opened
  const whole = counter.count(SAMPLE)
  const errorOf = (spaced: boolean): number =>
    Math.abs(SAMPLE.match(WORD)?.reduce((sum, word) => sum + countOf(word, spaced), counter.overhead - whole) ?? 0)
  const countOf = (word: string, spaced: boolean): number =>
    counter.count((spaced ? word : word.trimStart()) || '\n') - counter.overhead
  const isSpaced = errorOf(true) < errorOf(false)
  const words = wordsOf(WORD, (word) => countOf(word, isSpaced))
  known.set(counter, words)
  return words
}
