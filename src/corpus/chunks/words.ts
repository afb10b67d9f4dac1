import type { TokenWords } from './chunk.ts'

/** Words whose count is kept, and the longest of them. */
const MOST_WORDS = 200_000
const LONGEST = 64

/**
 * Words that a pattern matches one behind the other; what it does not match belongs to the next one. Texts that `except`
 * matches are divided otherwise.
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
      if (known.size >= MOST_WORDS) known.clear()
      if (word.length <= LONGEST) known.set(copyOf(word), tokens)
      return tokens
    },
  }
}

/** A part of a string keeps the whole in memory. */
const copyOf = (word: string): string => (word.length < 13 ? word : Buffer.from(word, 'utf16le').toString('utf16le'))
