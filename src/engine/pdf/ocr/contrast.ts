import type { PageDrawing } from '../ink/grey-picture.ts'

/** Side of the squares whose paper and ink are measured, in points. */
const BLOCK_POINTS = 36
/** A square with less difference holds paper only; the paper's level then tells nothing of its ink. */
const LEAST_CONTRAST = 10
/** A page with this much contrast nearly everywhere is left as it is. */
const GOOD_CONTRAST = 150
/** Share of the squares with ink that must have it. */
const MOSTLY = 0.97

/**
 * The drawing with its paper made white and its ink made black, square by square: faded print, uneven light and grey
 * paper read no worse than a clean scan then. A drawing of good contrast is returned as it is.
 */
export function evenContrast(drawing: PageDrawing): PageDrawing {
  const { width, height, grey, perPoint } = drawing
  const side = Math.max(16, Math.round(BLOCK_POINTS * perPoint))
  const [columns, rows] = [Math.ceil(width / side), Math.ceil(height / side)]
  const paper = new Float32Array(columns * rows)
  const ink = new Float32Array(columns * rows)
  for (let row = 0; row < rows; row += 1) {
    for (let column = 0; column < columns; column += 1) {
      const [low, high] = range(drawing, column * side, row * side, side)
      paper[row * columns + column] = high
      ink[row * columns + column] = low
    }
  }
  const inked = [...paper.keys()].filter((at) => (paper[at] ?? 0) - (ink[at] ?? 0) >= LEAST_CONTRAST)
  const good = inked.filter((at) => (paper[at] ?? 0) - (ink[at] ?? 0) >= GOOD_CONTRAST && (paper[at] ?? 0) > 200)
  if (good.length >= MOSTLY * inked.length) return drawing
  const spans = spansOf({ paper, ink, columns, rows })
  const out = new Uint8Array(width * height)
  for (let y = 0; y < height; y += 1) {
    const row = Math.min(rows - 1, Math.floor(y / side))
    for (let x = 0; x < width; x += 1) {
      const at = row * columns + Math.min(columns - 1, Math.floor(x / side))
      const level = 255 - (255 * ((paper[at] ?? 255) - (grey[y * width + x] ?? 0))) / (spans[at] ?? 255)
      out[y * width + x] = Math.max(0, Math.min(255, level))
    }
  }
  return { ...drawing, grey: out }
}

interface Squares {
  readonly paper: Float32Array
  readonly ink: Float32Array
  readonly columns: number
  readonly rows: number
}

/** The contrast that each square is stretched by: the largest of its neighbours', as one may hold paper only. */
function spansOf({ paper, ink, columns, rows }: Squares): Float32Array {
  return paper.map((_, at) => {
    const [row, column] = [Math.floor(at / columns), at % columns]
    let span = 0
    for (let y = Math.max(0, row - 1); y <= Math.min(rows - 1, row + 1); y += 1) {
      for (let x = Math.max(0, column - 1); x <= Math.min(columns - 1, column + 1); x += 1) {
        span = Math.max(span, (paper[y * columns + x] ?? 0) - (ink[y * columns + x] ?? 0))
      }
    }
    return span >= LEAST_CONTRAST ? span : 255
  })
}

/** The darkest and the lightest common grey of a square. */
function range(
  { width, height, grey }: PageDrawing,
  x0: number,
  y0: number,
  side: number,
): [low: number, high: number] {
  const counts = new Uint32Array(256)
  let total = 0
  for (let y = y0; y < Math.min(height, y0 + side); y += 2) {
    for (let x = x0; x < Math.min(width, x0 + side); x += 2) {
      const level = grey[y * width + x] ?? 0
      counts[level] = (counts[level] ?? 0) + 1
      total += 1
    }
  }
  return [quantile(counts, total, 0.02), quantile(counts, total, 0.8)]
}

function quantile(counts: Uint32Array, total: number, share: number): number {
  let below = 0
  for (let level = 0; level < 256; level += 1) {
    below += counts[level] ?? 0
    if (below > total * share) return level
  }
  return 255
}
