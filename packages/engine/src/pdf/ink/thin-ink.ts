import type { GreyPicture } from './grey-picture.ts'

/**
 * Threshold in points: widest stroke of a glyph. Ink wider both ways is a surface, such as the shading of a table cell.
 */
const WIDEST_STROKE_POINTS = 9

/** Parameters of the ink separation, square by square, row by row. */
export interface SquareInk {
  readonly side: number
  readonly columns: number
  /** Background grey of each square. */
  readonly levels: Float32Array
  /** Threshold per square: difference from the background at which a pixel is ink. */
  readonly leasts: Float32Array
}

/** Threshold: mean stroke length of a square's ink, in points and in pixels. Noise has shorter strokes. */
const MIN_STROKE_POINTS = 3
const MIN_STROKE_PIXELS = 3
/** Threshold: ink fraction of a square. Noise above it merges into longer strokes, and print is never as dense. */
const DENSE = 0.3
const LONGER_WHERE_DENSE = 12

/**
 * Returns the ink of strokes: pixels in a run, horizontal or vertical, of at most a stroke's width. A run continues
 * past the square's border if the next pixel is ink against this square's background too. Squares of single pixels are
 * noise.
 */
export function thinInk(
  picture: GreyPicture,
  ink: Uint8Array,
  squares: SquareInk,
  perPoint: number,
): { readonly ink: Uint8Array; readonly noisySquares: number } {
  const { width, height, grey } = picture
  const out = new Uint8Array(ink.length)
  const lengths = new Uint8Array(ink.length)
  const widest = Math.max(4, Math.round(WIDEST_STROKE_POINTS * perPoint))
  const isBorder = Uint8Array.from({ length: Math.max(width, height) }, (_, at) => (at % squares.side === 0 ? 1 : 0))
  /** True if the ink of a pixel continues at the next one, in another square. */
  const goesOn = (at: number, next: number): boolean => {
    const square = squareOf(at, width, squares)
    return Math.abs((grey[next] ?? 0) - (squares.levels[square] ?? 0)) > (squares.leasts[square] ?? Infinity)
  }
  const mark = (first: number, end: number, step: number, isCut: boolean): void => {
    const run = (end - first) / step
    const isThin = run <= widest && !isCut
    for (let pixel = first; pixel < end; pixel += step) {
      if (isThin) out[pixel] = 1
      if (run > (lengths[pixel] ?? 0)) lengths[pixel] = Math.min(255, run)
    }
  }
  // Most pixels are paper, so the loop follows only the starts of runs.
  for (let y = 0; y < height; y += 1) {
    for (let x = 0, at = y * width; x < width; x += 1, at += 1) {
      if (ink[at] === 0) continue
      if (x === 0 || ink[at - 1] === 0) {
        let stop = x + 1
        while (stop < width && ink[at + stop - x] === 1) stop += 1
        const end = at + stop - x
        const isCut =
          (stop < width && isBorder[stop] === 1 && goesOn(end - 1, end)) ||
          (x > 0 && isBorder[x] === 1 && goesOn(at, at - 1))
        mark(at, end, 1, isCut)
      }
      if (y === 0 || ink[at - width] === 0) {
        let stop = y + 1
        while (stop < height && ink[at + (stop - y) * width] === 1) stop += 1
        const end = at + (stop - y) * width
        const isCut =
          (stop < height && isBorder[stop] === 1 && goesOn(end - width, end)) ||
          (y > 0 && isBorder[y] === 1 && goesOn(at, at - width))
        mark(at, end, width, isCut)
      }
    }
  }
  const least = Math.max(MIN_STROKE_PIXELS, MIN_STROKE_POINTS * perPoint)
  return { ink: out, noisySquares: clearNoise(out, lengths, width, squares, least) }
}

/** Clears the squares with a mean stroke length below `least`, and counts them. */
function clearNoise(ink: Uint8Array, lengths: Uint8Array, width: number, squares: SquareInk, least: number): number {
  const { side, columns } = squares
  const height = ink.length / width
  let noisy = 0
  for (let square = 0; square < squares.levels.length; square += 1) {
    if (squares.leasts[square] === Infinity) continue
    const [x0, y0] = [(square % columns) * side, Math.floor(square / columns) * side]
    const [x1, y1] = [Math.min(width, x0 + side), Math.min(height, y0 + side)]
    let [sum, count] = [0, 0]
    for (let y = y0; y < y1; y += 1) {
      for (let at = y * width + x0; at < y * width + x1; at += 1) {
        if (ink[at] === 0) continue
        sum += lengths[at] ?? 0
        count += 1
      }
    }
    const over = Math.max(0, count / side ** 2 - DENSE)
    if (sum >= least * (1 + LONGER_WHERE_DENSE * over) * count) continue
    noisy += 1
    for (let y = y0; y < y1; y += 1) ink.fill(0, y * width + x0, y * width + x1)
  }
  return noisy
}

function squareOf(at: number, width: number, { side, columns }: SquareInk): number {
  return Math.floor(Math.floor(at / width) / side) * columns + Math.floor((at % width) / side)
}
