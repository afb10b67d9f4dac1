/** Letters of scripts that are written from right to left. */
export const RIGHT_TO_LEFT = /[\p{Script=Hebrew}\p{Script=Arabic}\p{Script=Syriac}\p{Script=Thaana}]/u

interface Piece {
  readonly text: string
  readonly x: number
  readonly width: number
}

const LEFT_TO_RIGHT = /\p{Script=Latin}/u
const RUNS =
  /[\p{Script=Hebrew}\p{Script=Arabic}\p{Script=Syriac}\p{Script=Thaana}\p{M}]+|[^\p{Script=Hebrew}\p{Script=Arabic}\p{Script=Syriac}\p{Script=Thaana}]+/gu

/** Brackets beside right-to-left letters, and what stands between them: the library joins them to the wrong words. */
const BRACKETED = /[()[\]{}]|[^()[\]{}]+/gu

/**
 * A word that the library made of a Latin and a right-to-left one, as the words that stand side by side on the page; of native
 * text its brackets stand alone too.
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

/** Marks that end a clause: recognised ones come first, as they stand on the page. */
const LEADING_MARKS = /^([.,:;!?،؛؟]+)(.+)$/u
/** The ligature of lam and alef comes as its letters in the wrong order; two alefs never follow each other in a word. */
const SWAPPED_LAM = /ا([اأإآ])ل/gu

const LAST_MARKS = /[.,:;!?،؛؟]+$/u
/** Letters with their marks and numbers, and Arabic signs that the library takes for letters; or a single sign. */
const PARTS =
  /(?:[\p{Script=Hebrew}\p{Script=Arabic}\p{Script=Syriac}\p{Script=Thaana}\p{M}\p{Nd}\u0640؛؟]|(?<=\p{Nd})[.,:/](?=\p{Nd}))+|./gu

/**
 * A right-to-left word in the order in which it is written. Of a native word with signs in it the library gives the parts as
 * they stand on the page, from left to right.
 */
export function inWrittenOrder(text: string, native: boolean): string {
  if (!RIGHT_TO_LEFT.test(text)) return text
  const written = native ? partsFromRight(text) : text.replace(LEADING_MARKS, '$2$1')
  return written.replace(SWAPPED_LAM, 'ال$1')
}

/** A mark at the right is that of a line from left to right, and stays behind its word. */
function partsFromRight(text: string): string {
  const word = text.replace(LAST_MARKS, '')
  return (word.match(PARTS) ?? []).reverse().join('') + text.slice(word.length)
}
