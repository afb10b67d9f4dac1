import type { PageDrawing } from './grey-picture.ts'

/** Which pixels of a drawing are ink: 1 where they are, row by row. */
export interface InkMask {
  readonly width: number
  readonly height: number
  readonly perPoint: number
  readonly ink: Uint8Array
}

/** Side of the squares whose background is told apart, in points: a heading's line, or two lines of body text. */
const BLOCK_POINTS = 24
/** Least difference of brightness between ink and its background: faded print at a twentieth of full contrast still shows. */
const LEAST_CONTRAST = 9
/** Share of the contrast of a square at which a pixel is ink: thin strokes are grey in a small drawing. */
const INK_SHARE = 0.3

/**
 * Tells ink from paper square by square, so that a faint line beside a black bar and light text on a dark ground both
 * count. The background of a square is its lightest or its darkest common grey, whichever is nearer to the median.
 */
export function inkMask({ width, height, grey, perPoint }: PageDrawing): InkMask {
  const side = Math.max(8, Math.round(BLOCK_POINTS * perPoint))
  const ink = new Uint8Array(width * height)
  for (let y0 = 0; y0 < height; y0 += side) {
    for (let x0 = 0; x0 < width; x0 += side) {
      const square = { x0, y0, x1: Math.min(width, x0 + side), y1: Math.min(height, y0 + side) }
      const ground = groundOf(grey, width, square)
      if (ground.contrast >= LEAST_CONTRAST) markInk(ink, grey, width, square, ground)
    }
  }
  return { width, height, perPoint, ink }
}

interface Square {
  readonly x0: number
  readonly y0: number
  readonly x1: number
  readonly y1: number
}

interface Ground {
  readonly level: number
  /** Difference between the background and what stands out from it most. */
  readonly contrast: number
}

const histogram = new Uint32Array(256)

function groundOf(grey: Uint8Array, width: number, { x0, y0, x1, y1 }: Square): Ground {
  histogram.fill(0)
  for (let y = y0; y < y1; y += 1) {
    for (let at = y * width + x0; at < y * width + x1; at += 1) {
      const level = grey[at] ?? 0
      histogram[level] = (histogram[level] ?? 0) + 1
    }
  }
  const count = (x1 - x0) * (y1 - y0)
  const [darkest, dark, median, light, lightest] = quantiles(count, [0.01, 0.05, 0.5, 0.95, 0.99])
  return light - median <= median - dark
    ? { level: light, contrast: light - darkest }
    : { level: dark, contrast: lightest - dark }
}

type Quantiles = [number, number, number, number, number]

function quantiles(count: number, shares: Quantiles): Quantiles {
  const found: number[] = []
  let below = 0
  for (let level = 0; level < 256 && found.length < shares.length; level += 1) {
    below += histogram[level] ?? 0
    while (found.length < shares.length && below > count * (shares[found.length] ?? 1)) found.push(level)
  }
  while (found.length < shares.length) found.push(255)
  return found as Quantiles
}

function markInk(ink: Uint8Array, grey: Uint8Array, width: number, square: Square, ground: Ground): void {
  const least = Math.max(LEAST_CONTRAST / 2, INK_SHARE * ground.contrast)
  for (let y = square.y0; y < square.y1; y += 1) {
    for (let at = y * width + square.x0; at < y * width + square.x1; at += 1) {
      if (Math.abs((grey[at] ?? 0) - ground.level) > least) ink[at] = 1
    }
  }
}
