import leven from 'leven'
import { wordsOfText } from '../../model/words-of-text.ts'

/** Of 41 layers in a study, the worst right one agreed with its picture to 0.90, the best wrong one to 0.83. */
export const SAME_WORDS = 0.85
/** Share of a layer's words that its picture has to show, misread ones among them: with fewer a tenth of its words is lost. */
export const MOSTLY_FOUND = 0.9
/** Letters of a word of which one may differ in a misread word. */
const LETTERS_A_SLIP = 4

export interface WordComparison {
  /** F1 of the two bags of words, 0 to 1; case and punctuation do not count. */
  readonly agreement: number
  /** The same, where a word may differ in one letter of four: a misread word is still the same word. */
  readonly similarity: number
  /** Share of the first text's words that are among the other's, misread ones too: what else was read there does not count. */
  readonly found: number
}

interface Piece {
  readonly text: string
}

/** Compares the words of two texts, wherever they stand. */
export function compareWords(one: readonly Piece[], other: readonly Piece[]): WordComparison {
  const [words, left] = [wordsIn(one), wordsIn(other)]
  if (words.length === 0 || left.length === 0) return { agreement: 0, similarity: 0, found: 0 }
  const scale = 2 / (words.length + left.length)
  const take = (at: number): boolean => at >= 0 && left.splice(at, 1).length > 0
  const unmatched = words.filter((word) => !take(left.indexOf(word)))
  const equal = words.length - unmatched.length
  const misread = unmatched.filter((word) => take(left.findIndex((found) => isMisread(word, found)))).length
  const same = equal + misread
  return { agreement: scale * equal, similarity: scale * same, found: same / words.length }
}

const wordsIn = (pieces: readonly Piece[]): string[] => wordsOfText(pieces.map(({ text }) => text).join(' '))

function isMisread(word: string, other: string): boolean {
  const slips = Math.max(1, Math.floor(word.length / LETTERS_A_SLIP))
  return word.length > 1 && leven(word, other, { maxDistance: slips + 1 }) <= slips
}
