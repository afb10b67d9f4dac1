import type { GreyPicture } from './grey-picture.ts'

/** Widest stroke of letters in points: what is wider both ways is a surface, such as the shade of a table's cell. */
const WIDEST_STROKE_POINTS = 9

/** How ink was separated from its background, square by square, row by row. */
export interface SquareInk {
  readonly side: number
  readonly columns: number
  /** Grey of each square's background. */
  readonly levels: Float32Array
  /** Difference from it at which a pixel is ink. */
  readonly leasts: Float32Array
}

/** Mean length of the strokes that a square's ink lies in, in points and in pixels: noise is made of shorter ones. */
const LEAST_STROKE_POINTS = 3
const LEAST_STROKE_PIXELS = 3
/** Where more of a square than this is ink, noise runs together into longer strokes; print does not get so dense. */
const DENSE = 0.3
const LONGER_WHERE_DENSE = 12

/**
 * The ink of strokes: pixels that lie in a run, across or down, no longer than a stroke is wide. A run that ends where
 * the square ends goes on there if the next pixel would be ink on this square's background too. Squares of single
 * pixels are noise.
 */
export function thinInk(
  picture: GreyPicture,
  ink: Uint8Array,
  squares: SquareInk,
  perPoint: number,
): { readonly ink: Uint8Array; readonly noisySquares: number } {
  const { width, height } = picture
  const out = new Uint8Array(ink.length)
  const lengths = new Uint8Array(ink.length)
  const widest = Math.max(4, Math.round(WIDEST_STROKE_POINTS * perPoint))
  const goesOn = (at: number, next: number): boolean => continues(picture, squares, at, next)
  const measure = (start: number, step: number, count: number): void => {
    let run = 0
    for (let index = 0, at = start; index <= count; index += 1, at += step) {
      if (index < count && ink[at] === 1) {
        run += 1
        continue
      }
      if (run === 0) continue
      const [first, last] = [at - run * step, at - step]
      const cut = (index < count && goesOn(last, at)) || (index > run && goesOn(first, first - step))
      const thin = run <= widest && !cut
      for (let pixel = first; pixel !== at; pixel += step) {
        if (thin) out[pixel] = 1
        if (run > (lengths[pixel] ?? 0)) lengths[pixel] = Math.min(255, run)
      }
      run = 0
    }
  }
  for (let y = 0; y < height; y += 1) measure(y * width, 1, width)
  for (let x = 0; x < width; x += 1) measure(x, width, height)
  const least = Math.max(LEAST_STROKE_PIXELS, LEAST_STROKE_POINTS * perPoint)
  return { ink: out, noisySquares: clearNoise(out, lengths, width, squares, least) }
}

function continues({ width, grey }: GreyPicture, squares: SquareInk, at: number, next: number): boolean {
  const square = squareOf(at, width, squares)
  if (square === squareOf(next, width, squares)) return false
  return Math.abs((grey[next] ?? 0) - (squares.levels[square] ?? 0)) > (squares.leasts[square] ?? Infinity)
}

/** Clears the squares whose strokes are shorter than `least` on average, and counts them. */
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
