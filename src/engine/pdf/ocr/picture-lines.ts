import type { ScreenshotRect, VectorLine } from '@llamaindex/liteparse'

const DARK = 150
const SHORTEST_LINE = 18

/** Dark lines of a picture: the rules of a scanned table, where the scan is clean. */
export function linesOf(rects: readonly ScreenshotRect[]): VectorLine[] {
  return rects
    .filter(
      (rect) => rect.isLine && brightness(rect.color) < DARK && Math.max(rect.width, rect.height) >= SHORTEST_LINE,
    )
    .map(({ x, y, width, height }) => ({
      ...(width > height
        ? { x1: x, x2: x + width, y1: y + height / 2, y2: y + height / 2 }
        : { x1: x + width / 2, x2: x + width / 2, y1: y, y2: y + height }),
      stroke: true,
      fill: false,
    }))
}

/** 0 for black to 255 for white, of a colour like `ff1a2b3c`. */
function brightness(color: string): number {
  const [red = 0, green = 0, blue = 0] = [2, 4, 6].map((at) => parseInt(color.slice(at, at + 2), 16))
  return 0.3 * red + 0.59 * green + 0.11 * blue
}
