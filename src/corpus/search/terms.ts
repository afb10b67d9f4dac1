/** A word of a text as the index holds it, with its range in the text. */
export interface Term {
  readonly text: string
  readonly start: number
  readonly end: number
  /** Single last character of a run without spaces: it makes each character the start of a term. */
  readonly isTail: boolean
}

/** Scripts without spaces between words, and Hangul, whose particles join their words. */
const SPACELESS =
  '\\p{Script=Han}\\p{Script=Hiragana}\\p{Script=Katakana}\\p{Script=Hangul}\\p{Script=Thai}\\p{Script=Lao}\\p{Script=Khmer}\\p{Script=Myanmar}'

/** Invisible characters within a word: soft hyphen, zero-width characters. */
const INVISIBLE = '\\u00AD\\u200B-\\u200D\\u2060\\uFEFF'

/** A run of a script without spaces, or a word of any other script. */
const RUN = new RegExp(
  `(?<spaceless>[${SPACELESS}](?:[${SPACELESS}\\p{M}ー々]|[${INVISIBLE}](?=[${SPACELESS}]))*)|(?:(?![${SPACELESS}])[\\p{L}\\p{N}])(?:(?![${SPACELESS}])[\\p{L}\\p{N}\\p{M}${INVISIBLE}])*`,
  'gu',
)

const INVISIBLES = new RegExp(`[${INVISIBLE}]`, 'gu')

/** Combining marks of Latin, Greek and Cyrillic. */
const DIACRITICS = /[\u0300-\u036F]/g

/** Maximum length of a term: a longer word is indexed by its start. */
const MAX_LENGTH = 64

/**
 * Terms of a text, in order. Case, diacritics, ligatures and full-width forms are equal. A run of a script without spaces
 * becomes overlapping pairs of characters, so that a search finds any part of it, from two characters on.
 */
export function* termsOf(text: string): Generator<Term> {
  for (const { 0: run, index, groups } of text.matchAll(RUN)) {
    if (groups?.['spaceless'] === undefined) {
      yield { text: folded(run).slice(0, MAX_LENGTH), start: index, end: index + run.length, isTail: false }
    } else yield* pairsOf(run, index)
  }
}

function* pairsOf(run: string, start: number): Generator<Term> {
  const characters = [...run.matchAll(/\P{M}\p{M}*/gu)]
    .map(({ 0: raw, index }) => ({ text: folded(raw), start: start + index, end: start + index + raw.length }))
    .filter(({ text }) => text !== '')
  for (const [at, one] of characters.entries()) {
    const next = characters[at + 1]
    yield { text: one.text + (next?.text ?? ''), start: one.start, end: (next ?? one).end, isTail: next === undefined }
  }
}

const isAscii = (word: string): boolean => {
  for (let at = 0; at < word.length; at++) if (word.charCodeAt(at) > 127) return false
  return true
}

function folded(word: string): string {
  if (isAscii(word)) return word.toLowerCase()
  const plain = word.replaceAll(INVISIBLES, '').normalize('NFKD').replaceAll(DIACRITICS, '').normalize('NFC')
  // Compatibility forms may hold white space or signs: `⑴` is `(1)`.
  // Upper case first: `ß` equals `SS`, `ı` equals `I`.
  return plain
    .toUpperCase()
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\p{M}]/gu, '')
}

/** Text of a column: terms with spaces between them. */
export function indexedText(text: string): string {
  let terms = ''
  for (const term of termsOf(text)) terms += `${term.text} `
  return terms
}
