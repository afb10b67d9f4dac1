import type { ParsedPage } from '@llamaindex/liteparse'

/** A straight line along x at height `at`, or along y at position `at`. */
export interface Ruling {
  readonly at: number
  readonly start: number
  readonly end: number
}

export interface Rulings {
  readonly horizontal: readonly Ruling[]
  readonly vertical: readonly Ruling[]
}

/** Threshold in points. A filled shape of at most this thickness is a line. */
const LINE_POINTS = 3
/** Threshold in points. Lines this near merge, and ends this near touch. */
const NEAR_POINTS = 2.5
/** Threshold in points. A shorter stroke is part of a glyph or a drawing. */
const SHORTEST_POINTS = 6

/** Returns the lines of a page, thin filled boxes included. Merges lines that continue each other. */
export function rulingsOf(page: ParsedPage): Rulings {
  const horizontal: Ruling[] = []
  const vertical: Ruling[] = []
  const add = (x0: number, y0: number, x1: number, y1: number): void => {
    const [width, height] = [Math.abs(x1 - x0), Math.abs(y1 - y0)]
    if (height <= LINE_POINTS && width > height) {
      horizontal.push({ at: (y0 + y1) / 2, start: Math.min(x0, x1), end: Math.max(x0, x1) })
    } else if (width <= LINE_POINTS && height > width) {
      vertical.push({ at: (x0 + x1) / 2, start: Math.min(y0, y1), end: Math.max(y0, y1) })
    }
  }
  for (const line of page.vectorGraphics?.lines ?? []) add(line.x1, line.y1, line.x2, line.y2)
  for (const { bbox, fill, stroke, fillColor } of page.vectorGraphics?.shapes ?? []) {
    const { x, y, width, height } = bbox
    if (width <= LINE_POINTS || height <= LINE_POINTS) {
      add(x, y, x + width, y + height)
    } else if ((stroke || (fill && !isWhite(fillColor))) && width < page.width * 0.97 && height < page.height * 0.9) {
      add(x, y, x + width, y)
      add(x, y + height, x + width, y + height)
      add(x, y, x, y + height)
      add(x + width, y, x + width, y + height)
    }
  }
  return { horizontal: joined(horizontal), vertical: joined(vertical) }
}

function isWhite(color: string | undefined): boolean {
  return color !== undefined && /^ff(fff|[f][a-f\d])/i.test(color) && /^ff(f[a-f\d]){3}$/i.test(color)
}

/** Merges lines that overlap or continue each other. */
function joined(lines: readonly Ruling[]): Ruling[] {
  const out: { at: number; start: number; end: number }[] = []
  for (const line of [...lines].sort((a, b) => a.at - b.at || a.start - b.start)) {
    const same = out.findLast(
      (other) =>
        line.at - other.at <= NEAR_POINTS &&
        line.start <= other.end + NEAR_POINTS &&
        line.end >= other.start - NEAR_POINTS,
    )
    if (same === undefined) {
      out.push({ ...line })
    } else {
      same.start = Math.min(same.start, line.start)
      same.end = Math.max(same.end, line.end)
    }
  }
  return out.filter((line) => line.end - line.start >= SHORTEST_POINTS)
}
