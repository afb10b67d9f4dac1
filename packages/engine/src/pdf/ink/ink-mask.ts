import type { PageDrawing } from './grey-picture.ts'
import { smoothLevels } from './smooth-levels.ts'
import { thinInk } from './thin-ink.ts'

/** Mask of a drawing: 1 for each ink pixel, row by row. */
export interface InkMask {
  readonly width: number
  readonly height: number
  readonly perPoint: number
  readonly ink: Uint8Array
  /** Fraction of the page whose marks are grain, noise or soft shapes: a photograph, or print under noise. */
  readonly grainShare: number
  /** Part of `grainShare` whose adjacent pixels differ like specks. Photographs in a small drawing do not. */
  readonly noiseShare: number
}

/** Side of the squares with a separate background, in points: the line of a heading, or two lines of body text. */
const BLOCK_POINTS = 24
/**
 * Threshold: minimum difference of brightness between ink and background. Faded print at a twentieth of full contrast
 * exceeds it.
 */
const MIN_CONTRAST = 9
/**
 * Thresholds: residue of a square's shading after levelling, as a fraction and as an absolute limit for steep shading.
 * The residue is compression bands and bends of the slope.
 */
const RESIDUE_SHARE = 0.5
const MAX_RESIDUE = 11
/** Threshold: fraction of a square's contrast at which a pixel is ink. Thin strokes are grey in a small drawing. */
const INK_SHARE = 0.3
/**
 * Threshold: ratio of glyph edges to the grain around them. The largest steps of grain alone are up to 8 times its
 * small ones.
 */
const OVER_GRAIN = 10
/**
 * Threshold of small grain steps that counts as noise. At 50 dpi, those of 60 photographs are below 3, those of noise
 * that hides print above 7.
 */
const NOISE_STEP = 5
/**
 * Threshold: fraction of the contrast between adjacent pixels. Glyphs have such edges, soft shapes of photographs do
 * not.
 */
const EDGE_SHARE = 0.3
/** Threshold: number of pixels at an edge. */
const EDGE_PIXELS = 4

/**
 * Separates ink from paper square by square. A faint line next to a black bar counts, and so does light text on a dark
 * background. The background of a square is its lightest or darkest common grey, the nearer to the median. If it
 * differs little between squares, as in uneven light, it is interpolated.
 */
export function inkMask(drawing: PageDrawing): InkMask {
  const { width, height, perPoint } = drawing
  const side = Math.max(8, Math.round(BLOCK_POINTS * perPoint))
  const squares = squaresOf(width, height, side)
  const drawnGrounds = squares.map((square) => groundOf(drawing.grey, width, square))
  const { grey, levelled } = withoutShading(drawing, side, squares, drawnGrounds)
  const ink = new Uint8Array(width * height)
  const levels = new Float32Array(squares.length)
  const leasts = new Float32Array(squares.length).fill(Infinity)
  let [grainy, noisy] = [0, 0]
  for (const [at, square] of squares.entries()) {
    const ground = (levelled[at] === 0 ? drawnGrounds[at] : undefined) ?? groundOf(grey, width, square)
    levels[at] = ground.level
    if (ground.contrast < MIN_CONTRAST) continue
    if (ground.contrast < MIN_CONTRAST + (levelled[at] === 0 ? 0 : residue(drawing.grey, grey, width, square))) continue
    const { grain, edge } = stepsOf(grey, width, square)
    if (edge < Math.max(EDGE_SHARE * ground.contrast, OVER_GRAIN * grain)) {
      grainy += 1
      if (grain >= NOISE_STEP) noisy += 1
      continue
    }
    const least = Math.max(MIN_CONTRAST / 2, INK_SHARE * ground.contrast)
    leasts[at] = least
    markInk(ink, grey, width, square, ground.level, least)
  }
  const columns = Math.ceil(width / side)
  const thin = thinInk(drawing, ink, { side, columns, levels, leasts }, perPoint)
  const grainShare = (grainy + thin.noisySquares) / squares.length
  return { width, height, perPoint, ink: thin.ink, grainShare, noiseShare: noisy / squares.length }
}

function squaresOf(width: number, height: number, side: number): Square[] {
  const [columns, rows] = [Math.ceil(width / side), Math.ceil(height / side)]
  return Array.from({ length: columns * rows }, (_, at) => {
    const [x0, y0] = [(at % columns) * side, Math.floor(at / columns) * side]
    return { x0, y0, x1: Math.min(width, x0 + side), y1: Math.min(height, y0 + side) }
  })
}

/** Levelled grey values, with a flag of 1 for each changed square. */
interface Levelled {
  readonly grey: Uint8Array
  readonly levelled: Uint8Array
}

/** Levels the background of each square. Returns the drawing unchanged if no square differs from its neighbours. */
function withoutShading(
  { width, height, grey }: PageDrawing,
  side: number,
  squares: readonly Square[],
  grounds: readonly Ground[],
): Levelled {
  const levels = Float32Array.from(grounds, ({ level }) => level)
  const [columns, rows] = [Math.ceil(width / side), Math.ceil(height / side)]
  const levelled = unevenSquares(levels, columns, rows)
  if (!levelled.includes(1)) return { grey, levelled }
  const smooth = smoothLevels({ levels, columns, rows, side }, width, height)
  const out = grey.slice()
  for (const [square, { x0, y0, x1, y1 }] of squares.entries()) {
    if (levelled[square] === 0) continue
    const own = levels[square] ?? 0
    for (let y = y0; y < y1; y += 1) {
      for (let at = y * width + x0; at < y * width + x1; at += 1) {
        const level = smooth[at] ?? 0
        if (level !== own) out[at] = Math.max(0, Math.min(255, (grey[at] ?? 0) + own - level))
      }
    }
  }
  return { grey: out, levelled }
}

/**
 * Returns 1 for each square whose level differs from any of its eight neighbours. Interpolation has no effect on the
 * others.
 */
function unevenSquares(levels: Float32Array, columns: number, rows: number): Uint8Array {
  const uneven = new Uint8Array(levels.length)
  for (let row = 0; row < rows; row += 1) {
    for (let column = 0; column < columns; column += 1) {
      const at = row * columns + column
      for (let r = Math.max(0, row - 1); r <= Math.min(rows - 1, row + 1); r += 1) {
        for (let c = Math.max(0, column - 1); c <= Math.min(columns - 1, column + 1); c += 1) {
          if (levels[r * columns + c] !== levels[at]) uneven[at] = 1
        }
      }
    }
  }
  return uneven
}

/** Returns the contrast of a square's shading that levelling may leave. */
function residue(drawn: Uint8Array, levelled: Uint8Array, width: number, { x0, y0, x1, y1 }: Square): number {
  let [least, most] = [255, -255]
  for (let y = y0; y < y1; y += 1) {
    for (let at = y * width + x0; at < y * width + x1; at += 1) {
      const taken = (drawn[at] ?? 0) - (levelled[at] ?? 0)
      if (taken < least) least = taken
      if (taken > most) most = taken
    }
  }
  return Math.min(MAX_RESIDUE, RESIDUE_SHARE * (most - least))
}

interface Square {
  readonly x0: number
  readonly y0: number
  readonly x1: number
  readonly y1: number
}

interface Ground {
  readonly level: number
  /** Maximum difference from the background. */
  readonly contrast: number
}

const histogram = new Uint32Array(256)

function groundOf(grey: Uint8Array, width: number, { x0, y0, x1, y1 }: Square): Ground {
  // Fast path: most squares of a page are plain paper.
  const corner = grey[y0 * width + x0] ?? 255
  if (isPlain(grey, width, { x0, y0, x1, y1 }, corner)) return { level: corner, contrast: 0 }
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

function isPlain(grey: Uint8Array, width: number, { x0, y0, x1, y1 }: Square, level: number): boolean {
  for (let y = y0; y < y1; y += 1) {
    for (let at = y * width + x0; at < y * width + x1; at += 1) if (grey[at] !== level) return false
  }
  return true
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

interface Steps {
  /** 25th percentile of the differences: near 0 on clean paper, with any amount of print. */
  readonly grain: number
  /** The difference that at most `EDGE_PIXELS` pixels exceed. */
  readonly edge: number
}

function stepsOf(grey: Uint8Array, width: number, { x0, y0, x1, y1 }: Square): Steps {
  histogram.fill(0)
  for (let y = y0; y < y1; y += 1) {
    for (let at = y * width + x0 + 1; at < y * width + x1; at += 1) {
      const difference = Math.abs((grey[at] ?? 0) - (grey[at - 1] ?? 0))
      histogram[difference] = (histogram[difference] ?? 0) + 1
    }
  }
  const count = (x1 - x0 - 1) * (y1 - y0)
  const level = (most: number): number => {
    let below = 0
    for (let difference = 0; difference < 256; difference += 1) {
      below += histogram[difference] ?? 0
      if (below > most) return difference
    }
    return 255
  }
  return { grain: level(count / 4), edge: level(count - EDGE_PIXELS) }
}

function markInk(ink: Uint8Array, grey: Uint8Array, width: number, square: Square, level: number, least: number): void {
  for (let y = square.y0; y < square.y1; y += 1) {
    for (let at = y * width + square.x0; at < y * width + square.x1; at += 1) {
      if (Math.abs((grey[at] ?? 0) - level) > least) ink[at] = 1
    }
  }
}
