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

/** A word that the library made of a Latin and a right-to-left one, as the words that stand side by side on the page. */
export function scriptRuns<T extends Piece>(piece: T): T[] {
  if (!RIGHT_TO_LEFT.test(piece.text) || !LEFT_TO_RIGHT.test(piece.text)) return [piece]
  const perLetter = piece.width / piece.text.length
  return [...piece.text.matchAll(RUNS)].map((run) => ({
    ...piece,
    text: run[0],
    x: piece.x + run.index * perLetter,
    width: run[0].length * perLetter,
  }))
}

/** Marks that end a clause: the library gives those of a right-to-left word first, as they stand on the page. */
const LEADING_MARKS = /^([.,:;!?،؛؟]+)(.+)$/u
/** The ligature of lam and alef comes as its letters in the wrong order; two alefs never follow each other in a word. */
const SWAPPED_LAM = /ا([اأإآ])ل/gu

/** A right-to-left word in the order in which it is written. */
export function inWrittenOrder(text: string): string {
  if (!RIGHT_TO_LEFT.test(text)) return text
  return text.replace(LEADING_MARKS, '$2$1').replace(SWAPPED_LAM, 'ال$1')
}
