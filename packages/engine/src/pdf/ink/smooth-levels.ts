/** A level for each square of a picture, row by row. */
export interface SquareLevels {
  readonly levels: Float32Array
  readonly columns: number
  readonly rows: number
  /** Side of a square in pixels. */
  readonly side: number
}

/**
 * Threshold of the difference between squares. Larger differences start to count as an edge, and twice as large ones
 * count fully.
 */
const SHADING = 40

/**
 * Returns the level at each pixel, interpolated between the centres of the squares. A shadow then falls off smoothly,
 * without a step at the borders. A neighbour across an edge counts as the square itself.
 */
export function smoothLevels(squares: SquareLevels, width: number, height: number): Float32Array {
  const out = new Float32Array(width * height)
  const { side } = squares
  const half = side / 2
  for (let y0 = 0; y0 < height; y0 += half) {
    for (let x0 = 0; x0 < width; x0 += half) {
      const part = {
        x0: Math.ceil(x0),
        y0: Math.ceil(y0),
        x1: Math.min(width, Math.ceil(x0 + half)),
        y1: Math.min(height, Math.ceil(y0 + half)),
      }
      fillQuarter(out, width, part, squares)
    }
  }
  return out
}

interface Part {
  readonly x0: number
  readonly y0: number
  readonly x1: number
  readonly y1: number
}

/** Fills a quarter of a square. All its pixels lie between the centres of the same four squares. */
function fillQuarter(
  out: Float32Array,
  width: number,
  part: Part,
  { levels, columns, rows, side }: SquareLevels,
): void {
  const [column, row] = [
    Math.min(columns - 1, Math.floor(part.x0 / side)),
    Math.min(rows - 1, Math.floor(part.y0 / side)),
  ]
  const own = levels[row * columns + column] ?? 0
  const level = (atColumn: number, atRow: number): number => {
    const [c, r] = [Math.max(0, Math.min(columns - 1, atColumn)), Math.max(0, Math.min(rows - 1, atRow))]
    const other = levels[r * columns + c] ?? own
    return own + (other - own) * Math.max(0, Math.min(1, 2 - Math.abs(other - own) / SHADING))
  }
  const left = Math.floor((part.x0 + 0.5) / side - 0.5)
  const top = Math.floor((part.y0 + 0.5) / side - 0.5)
  const [a, b, c, d] = [level(left, top), level(left + 1, top), level(left, top + 1), level(left + 1, top + 1)]
  const flat = a === b && a === c && a === d
  for (let y = part.y0; y < part.y1; y += 1) {
    const row0 = y * width
    if (flat) {
      out.fill(a, row0 + part.x0, row0 + part.x1)
      continue
    }
    const down = Math.max(0, Math.min(1, (y + 0.5) / side - 0.5 - top))
    const [from, to] = [a + (c - a) * down, b + (d - b) * down]
    for (let x = part.x0; x < part.x1; x += 1) {
      const across = Math.max(0, Math.min(1, (x + 0.5) / side - 0.5 - left))
      out[row0 + x] = from + (to - from) * across
    }
  }
}
