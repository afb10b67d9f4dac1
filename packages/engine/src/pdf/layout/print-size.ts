import { type Box, median } from '../geometry/box.ts'
import type { Ruling, Rulings } from '../geometry/rulings.ts'
import type { Word } from '../geometry/words.ts'

/*
 * Scales a page to the usual print size for its layout. A scanner program may write a pixel as a point, and a small
 * page may hold the picture of a newspaper. The layout measures gutters, gaps and rules in points of paper. Boxes scale
 * back afterwards.
 */

/** Threshold in points. Smaller print is too small for paper. */
const MIN_POINTS = 7
/** Size of most print, in points. */
const USUAL_POINTS = 10

/** Returns the scale factor that gives recognised words the usual size. 1 for a page at paper size. */
export function enlargementOf(words: readonly Word[]): number {
  const size = median(words.flatMap((word) => (word.confidence === null ? [] : Array.from(word.text, () => word.size))))
  return size > 0 && size < MIN_POINTS ? USUAL_POINTS / size : 1
}

export function enlargedBox({ x0, y0, x1, y1 }: Box, by: number): Box {
  return { x0: x0 * by, y0: y0 * by, x1: x1 * by, y1: y1 * by }
}

export function enlargedWord(word: Word, by: number): Word {
  return { ...word, ...enlargedBox(word, by), size: word.size * by, baseline: word.baseline * by }
}

export function enlargedRulings({ horizontal, vertical }: Rulings, by: number): Rulings {
  const larger = ({ at, start, end }: Ruling): Ruling => ({ at: at * by, start: start * by, end: end * by })
  return { horizontal: horizontal.map(larger), vertical: vertical.map(larger) }
}
