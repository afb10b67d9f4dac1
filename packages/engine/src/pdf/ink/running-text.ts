import { union } from '../geometry/box.ts'
import type { Component } from './components.ts'
import type { InkMask } from './ink-mask.ts'

/** Thresholds: number of words and glyphs in a line of running text. Labels of charts and logos are shorter. */
const LINE_WORDS = 3
const LINE_LETTERS = 10
/** Threshold in glyphs for a line of any number of pieces. Words of small print merge in a small drawing. */
const LETTERS_RUN_TOGETHER = 30
/**
 * Threshold: width of the widest line, as a fraction of the page. A column of text exceeds it, a logo with a slogan
 * does not.
 */
const COLUMN_SHARE = 0.2
/** Threshold: gap between words of a line, in ink heights. Justified lines have the widest gaps. */
const WIDEST_GAP = 1.2
/** Threshold: overlap of glyphs, in ink heights. A piece that starts further back belongs to another line. */
const MAX_OVERLAP = 0.5
/** Threshold: ratio of the height of a word with ascenders and descenders to one without. */
const MAX_RATIO = 2.2
/** Threshold: fraction of the lower piece's height within the height of the other. Lines of a scan slope. */
const MIN_BESIDE = 0.5

/** Bounding box of the ink of one or more glyphs. `letters` is the number of glyphs. */
type Piece = Pick<Component, 'x0' | 'y0' | 'x1' | 'y1'> & { readonly letters: number }

/** Estimates the number of glyphs in lines of running text, the larger of horizontal and vertical lines. */
export function lettersInLines(pieces: readonly Piece[], { width, height }: Pick<InkMask, 'width' | 'height'>): number {
  return Math.max(lettersAcross(pieces, width), lettersAcross(pieces.map(turned), height))
}

const turned = ({ x0, y0, x1, y1, letters }: Piece): Piece => ({ x0: y0, y0: x0, x1: y1, y1: x1, letters })

function lettersAcross(pieces: readonly Piece[], width: number): number {
  const sorted = pieces.toSorted((a, b) => a.x0 - b.x0)
  const lines = sorted.map((_, at) => at)
  const lineOf = (at: number): number => {
    let line = at
    while (lines[line] !== line) line = lines[line] ?? line
    lines[at] = line
    return line
  }
  for (const [at, piece] of sorted.entries()) {
    // The next piece may be higher by this ratio, and the gap is relative to the higher piece.
    const reach = piece.x1 + WIDEST_GAP * MAX_RATIO * (piece.y1 - piece.y0)
    for (let next = at + 1; next < sorted.length; next += 1) {
      const other = sorted[next] as Piece
      if (other.x0 > reach) break
      if (followEachOther(piece, other)) lines[lineOf(at)] = lineOf(next)
    }
  }
  const running = [...Map.groupBy(sorted.entries(), ([at]) => lineOf(at)).values()]
    .map((line) => lineFrom(line.map(([, piece]) => piece)))
    .filter(isRunning)
  if (!running.some((line) => line.width >= COLUMN_SHARE * width)) return 0
  return running.reduce((sum, { letters }) => sum + letters, 0)
}

interface Line {
  readonly words: number
  readonly letters: number
  /** In pixels. */
  readonly width: number
}

function lineFrom(pieces: readonly Piece[]): Line {
  const { x0, x1 } = union(pieces)
  const letters = pieces.reduce((sum, piece) => sum + lettersOf(piece), 0)
  return { words: pieces.length, letters, width: x1 - x0 }
}

/**
 * A piece higher than wide counts as one glyph. It may be a word in another direction, and stacked words do not form a
 * line.
 */
const lettersOf = ({ x0, y0, x1, y1, letters }: Piece): number => (x1 - x0 >= y1 - y0 ? letters : 1)

const isRunning = ({ words, letters }: Line): boolean =>
  letters >= LETTERS_RUN_TOGETHER || (words >= LINE_WORDS && letters >= LINE_LETTERS)

function followEachOther(piece: Piece, next: Piece): boolean {
  const [one, other] = [piece.y1 - piece.y0, next.y1 - next.y0]
  const [low, high] = [Math.min(one, other), Math.max(one, other)]
  const [beside, gap] = [Math.min(piece.y1, next.y1) - Math.max(piece.y0, next.y0), next.x0 - piece.x1]
  return beside >= MIN_BESIDE * low && high <= MAX_RATIO * low && gap <= WIDEST_GAP * high && gap >= -MAX_OVERLAP * high
}
