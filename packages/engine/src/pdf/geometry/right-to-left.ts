/** Letters of right-to-left scripts. */
export const RIGHT_TO_LEFT = /[\p{Script=Hebrew}\p{Script=Arabic}\p{Script=Syriac}\p{Script=Thaana}]/u

interface Piece {
  readonly text: string
  readonly x: number
  readonly width: number
}

const LEFT_TO_RIGHT = /\p{Script=Latin}/u
const RUNS =
  /[\p{Script=Hebrew}\p{Script=Arabic}\p{Script=Syriac}\p{Script=Thaana}\p{M}]+|[^\p{Script=Hebrew}\p{Script=Arabic}\p{Script=Syriac}\p{Script=Thaana}]+/gu

/**
 * Tokens: brackets next to right-to-left letters, and the text between them. The library's parser joins brackets to the
 * wrong words.
 */
const BRACKETED = /[()[\]{}]|[^()[\]{}]+/gu

/**
 * Splits a word of the library that mixes Latin and right-to-left letters, in page order. Splits brackets off native
 * words too.
 */
export function scriptRuns<T extends Piece>(piece: T, native: boolean): T[] {
  if (!RIGHT_TO_LEFT.test(piece.text)) return [piece]
  const parts = native ? partsOf(piece, BRACKETED) : [piece]
  return parts.flatMap((part) =>
    RIGHT_TO_LEFT.test(part.text) && LEFT_TO_RIGHT.test(part.text) ? partsOf(part, RUNS) : [part],
  )
}

function partsOf<T extends Piece>(piece: T, parts: RegExp): T[] {
  const perLetter = piece.width / piece.text.length
  return [...piece.text.matchAll(parts)].map((run) => ({
    ...piece,
    text: run[0],
    x: piece.x + run.index * perLetter,
    width: run[0].length * perLetter,
  }))
}

/** Matches marks that end a clause. In recognised text they come first, in page order. */
const LEADING_MARKS = /^([.,:;!?،؛؟]+)(.+)$/u
/**
 * The library's parser decomposes the lam-alef ligature in the wrong order. Two alefs never follow each other in a
 * word.
 */
const SWAPPED_LAM = /ا([اأإآ])ل/gu

const LAST_MARKS = /[.,:;!?،؛؟]+$/u
/** Tokens: letters with their marks, numbers, and Arabic signs that the library reads as letters, or a single sign. */
const PARTS =
  /(?:[\p{Script=Hebrew}\p{Script=Arabic}\p{Script=Syriac}\p{Script=Thaana}\p{M}\p{Nd}\u0640؛؟]|(?<=\p{Nd})[.,:/](?=\p{Nd}))+|./gu

/**
 * Returns a right-to-left word in logical order. The library returns the parts of a native word with signs in page
 * order, from left to right.
 */
export function inWrittenOrder(text: string, native: boolean): string {
  if (!RIGHT_TO_LEFT.test(text)) return text
  const written = native ? partsFromRight(text) : text.replace(LEADING_MARKS, '$2$1')
  return written.replace(SWAPPED_LAM, 'ال$1')
}

/** A mark at the right end belongs to a left-to-right line, and remains after its word. */
function partsFromRight(text: string): string {
  const word = text.replace(LAST_MARKS, '')
  return (word.match(PARTS) ?? []).reverse().join('') + text.slice(word.length)
}
