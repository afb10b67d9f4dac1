import type { GreyPicture } from './grey-picture.ts'

/** Widest stroke of letters in points: what is wider both ways is a surface, such as the shade of a table's cell. */
const WIDEST_STROKE_POINTS = 9

/** How ink was told from its background, square by square, row by row. */
export interface SquareInk {
  readonly side: number
  readonly columns: number
  /** Grey of each square's background. */
  readonly levels: Float32Array
  /** Difference from it at which a pixel is ink. */
  readonly leasts: Float32Array
}

/**
 * The ink of strokes: pixels that lie in a run, across or down, no longer than a stroke is wide. A run that ends where
 * the square ends goes on there if the next pixel would be ink on this square's background too.
 */
export function thinInk(
  { width, height, grey }: GreyPicture,
  ink: Uint8Array,
  squares: SquareInk,
  perPoint: number,
): Uint8Array {
  const out = new Uint8Array(ink.length)
  const widest = Math.max(4, Math.round(WIDEST_STROKE_POINTS * perPoint))
  const goesOn = (at: number, next: number): boolean => {
    const square = squareOf(at, width, squares)
    if (square === squareOf(next, width, squares)) return false
    return Math.abs((grey[next] ?? 0) - (squares.levels[square] ?? 0)) > (squares.leasts[square] ?? Infinity)
  }
  const keepThin = (start: number, step: number, count: number): void => {
    let run = 0
    for (let index = 0, at = start; index <= count; index += 1, at += step) {
      if (index < count && ink[at] === 1) {
        run += 1
        continue
      }
      if (run > 0 && run <= widest) {
        const [first, last] = [at - run * step, at - step]
        const cut = (index < count && goesOn(last, at)) || (index > run && goesOn(first, first - step))
        if (!cut) for (let pixel = first; pixel !== at; pixel += step) out[pixel] = 1
      }
      run = 0
    }
  }
  for (let y = 0; y < height; y += 1) keepThin(y * width, 1, width)
  for (let x = 0; x < width; x += 1) keepThin(x, width, height)
  return out
}

function squareOf(at: number, width: number, { side, columns }: SquareInk): number {
  return Math.floor(Math.floor(at / width) / side) * columns + Math.floor((at % width) / side)
}
