import leven from 'leven'
import { wordsOfText } from '../../model/words-of-text.ts'

/**
 * Threshold of the agreement. In a study of 41 layers, the worst correct one agreed with its picture to 0.90, the best
 * wrong one to 0.83.
 */
export const SAME_WORDS = 0.85
/**
 * Threshold: fraction of a layer's words in its picture, misread ones included. Below it, a tenth of the words is lost.
 */
export const MOSTLY_FOUND = 0.9
/** Number of letters in a misread word per allowed difference. */
const LETTERS_A_SLIP = 4

export interface WordComparison {
  /** F1 of the two bags of words, 0 to 1. Ignores case and punctuation. */
  readonly agreement: number
  /** The same F1 with one allowed difference per four letters. A misread word remains the same word. */
  readonly similarity: number
  /** Fraction of the first text's words in the other, misread ones included. Additional words there do not count. */
  readonly found: number
}

interface Piece {
  readonly text: string
}

/** Compares the words of two texts, at any position. */
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
