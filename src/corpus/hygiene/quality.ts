/*
 * The rules of Gopher (Rae et al. 2021) and C4 (Raffel et al. 2020) with their published thresholds, by the formulas of datatrove.
 * They were made for pages of the web: on a chunk they are hints, and a table breaks several. Where they differ from datatrove:
 *
 * - a word is letters and digits in lower case: a list marker or another sign alone is none (`gopher_alphabetic`, `gopher_symbols`)
 * - blank lines are no lines (`gopher_bullets`, `gopher_ellipses`); `*`, `•` and their like are list markers beside `-`
 * - a text in which no run of words is repeated breaks no `gopher_top_…` rule, however short it is
 * - the C4 rules flag a chunk, where datatrove drops lines and then counts sentences of the rest
 */

interface Measured {
  readonly text: string
  readonly words: readonly string[]
  readonly lines: readonly string[]
}

type Rule = (measured: Measured) => boolean

const STOP_WORDS = new Set(['the', 'be', 'to', 'of', 'and', 'that', 'have', 'with'])

const share = (some: number, all: number): number => (all === 0 ? 0 : some / all)

const linesLike = ({ lines }: Measured, pattern: RegExp): number =>
  share(lines.filter((line) => pattern.test(line)).length, lines.length)

/** Each says whether a text breaks it. */
const RULES = {
  gopher_word_count: ({ words }) => words.length < 50 || words.length > 100_000,
  gopher_word_length: ({ words }) => {
    const mean = share(
      words.reduce((sum, word) => sum + word.length, 0),
      words.length,
    )
    return mean < 3 || mean > 10
  },
  gopher_symbols: ({ text, words }) =>
    share(text.match(/#/g)?.length ?? 0, words.length) > 0.1 ||
    share(text.match(/\.\.\.|…/g)?.length ?? 0, words.length) > 0.1,
  gopher_bullets: (measured) => linesLike(measured, /^\s*[-*•‣●]\s/) > 0.9,
  gopher_ellipses: (measured) => linesLike(measured, /(?:\.\.\.|…)\s*$/) > 0.3,
  gopher_alphabetic: ({ words }) => share(words.filter((word) => /\p{L}/u.test(word)).length, words.length) < 0.8,
  gopher_stop_words: ({ words }) => new Set(words.filter((word) => STOP_WORDS.has(word))).size < 2,
  gopher_duplicate_lines: ({ text, lines }) => isRepeated(lines, text),
  gopher_duplicate_paragraphs: ({ text }) => isRepeated(text.trim().split(/\n{2,}/), text),
  gopher_top_2_gram: ({ words, text }) => share(topGram(words, 2), text.length) > 0.2,
  gopher_top_3_gram: ({ words, text }) => share(topGram(words, 3), text.length) > 0.18,
  gopher_top_4_gram: ({ words, text }) => share(topGram(words, 4), text.length) > 0.16,
  gopher_duplicate_n_grams: ({ words, text }) =>
    DUPLICATE_N_GRAMS.some(([size, most]) => share(duplicateGrams(words, size), text.length) > most),
  c4_lorem_ipsum: ({ text }) => /lorem ipsum/i.test(text),
  c4_javascript: ({ text }) => /javascript/i.test(text),
  c4_curly_bracket: ({ text }) => text.includes('{'),
  c4_terminal_punctuation: (measured) => linesLike(measured, /[.!?"'”’。！？][*_)\]]*\s*$/) < 0.5,
  c4_sentences: ({ text }) => (text.match(/[.!?。！？](?=\s|$)/g)?.length ?? 0) < 5,
} as const satisfies Record<string, Rule>

export type QualityRule = keyof typeof RULES

/** Runs of so many words, and the largest share of the text's characters that repeated ones may have. */
const DUPLICATE_N_GRAMS = [
  [5, 0.15],
  [6, 0.14],
  [7, 0.13],
  [8, 0.12],
  [9, 0.11],
  [10, 0.1],
] as const

/** Whether over 0.3 of the parts, or over 0.2 of the text's characters, repeat an earlier part. */
function isRepeated(parts: readonly string[], text: string): boolean {
  const seen = new Set<string>()
  let [repeated, characters] = [0, 0]
  for (const part of parts) {
    if (seen.has(part)) [repeated, characters] = [repeated + 1, characters + part.length]
    seen.add(part)
  }
  return share(repeated, parts.length) > 0.3 || share(characters, text.length) > 0.2
}

/** Characters of runs of `size` words that repeat an earlier run; they do not overlap. */
function duplicateGrams(words: readonly string[], size: number): number {
  const seen = new Set<string>()
  let characters = 0
  for (let at = 0; at + size <= words.length;) {
    const gram = words.slice(at, at + size).join('')
    const isSeen = seen.has(gram)
    if (isSeen) characters += gram.length
    else seen.add(gram)
    at += isSeen ? size : 1
  }
  return characters
}

/** Characters of the most frequent run of `size` words, the first of several, at all of its positions; 0 where none is repeated. */
function topGram(words: readonly string[], size: number): number {
  const counts = new Map<string, number>()
  for (let at = 0; at + size <= words.length; at++) {
    const gram = words.slice(at, at + size).join(' ')
    counts.set(gram, (counts.get(gram) ?? 0) + 1)
  }
  let top = { gram: '', count: 1 }
  for (const [gram, count] of counts) if (count > top.count) top = { gram, count }
  return top.gram.length * top.count
}

/** The rules that a text breaks, by name. */
export function brokenRules(text: string, words: readonly string[]): readonly QualityRule[] {
  const lines = text.split('\n').filter((line) => line.trim() !== '')
  const measured = { text, words, lines }
  return (Object.keys(RULES) as QualityRule[]).filter((name) => RULES[name](measured))
}
