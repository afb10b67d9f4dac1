import type { TokenWords } from './chunk.ts'

/** Size of the cache of word counts, and the longest cached word. */
const MAX_WORDS = 200_000
const LONGEST = 64

/**
 * Words as consecutive matches of a pattern; unmatched text belongs to the next word. It does not suit texts that match
 * `except`.
 */
export function wordsOf(pattern: RegExp, count: (text: string) => number, except?: RegExp): TokenWords {
  const words = new RegExp(pattern.source, 'gu')
  const known = new Map<string, number>()
  return {
    suits: (text) => except?.test(text) !== true,
    endOf(text, at) {
      words.lastIndex = at
      return words.test(text) ? words.lastIndex : text.length
    },
    count(word) {
      const before = known.get(word)
      if (before !== undefined) return before
      const tokens = count(word)
      if (known.size >= MAX_WORDS) known.clear()
      if (word.length <= LONGEST) known.set(copyOf(word), tokens)
      return tokens
    },
  }
}

/** Copies a word: a slice would keep the complete string in memory. */
const copyOf = (word: string): string => (word.length < 13 ? word : Buffer.from(word, 'utf16le').toString('utf16le'))
