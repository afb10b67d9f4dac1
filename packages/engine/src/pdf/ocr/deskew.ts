import type { TextItem } from '@llamaindex/liteparse'
import { median } from '../geometry/box.ts'

/** Steepest slope of the search: 3.4 degrees. Scanners skew a sheet by less. */
const STEEPEST = 0.06
const STEP = 0.002
/**
 * Bin height, in word heights. Lines of print have a larger pitch. A relative unit, because a scan may have any scale.
 */
const BIN = 0.3
/** Strip width, in word heights. At a wrong slope, lines of one column would meet those of the next. */
const STRIP = 30
/** Threshold: ratio of the score at a slope to the score at none. A few lines score better by chance. */
const BETTER = 1.04
const BETTER_FOR_FEW = 1.35
const FEW_LETTERS = 400

/** Levels the lines of a skewed scan's recognised text and straightens its columns. Returns straight text unchanged. */
export function deskewed(items: readonly TextItem[]): readonly TextItem[] {
  const slope = slopeOf(items)
  if (slope === 0) return items
  return items.map((item) => {
    // The box of a sloped line is as high as its glyphs plus its rise.
    const rise = Math.min(item.width * Math.abs(slope), item.height * 0.6)
    const top = slope > 0 ? item.y : item.y + rise
    const middle = item.y + item.height / 2
    return { ...item, x: item.x + middle * slope, y: top - item.x * slope, height: item.height - rise }
  })
}

/** Letters of an item at a position on the page. */
interface Piece {
  readonly x: number
  readonly y: number
  readonly letters: number
}

/**
 * Threshold: aspect ratio. A wider item counts at several positions. A wrong slope may match the centre of a line, but
 * not both ends.
 */
const WORD_ASPECT = 4

function piecesOf({ text, x, y, width, height }: TextItem): Piece[] {
  const count = Math.max(1, Math.min(text.length, Math.round(width / (WORD_ASPECT * height))))
  return Array.from({ length: count }, (_, index) => ({
    x: x + ((index + 0.5) * width) / count,
    y: y + height / 2,
    letters: text.length / count,
  }))
}

/** Returns the slope of the lines, as descent per point to the right. It maximizes the text per height bin. */
export function slopeOf(items: readonly TextItem[]): number {
  const steps = Math.round(STEEPEST / STEP)
  const slopes = Array.from({ length: 2 * steps + 1 }, (_, index) => (index - steps) * STEP)
  const pieces = items.flatMap(piecesOf)
  const usual = median(items.map(({ height }) => height))
  const scores = slopes.map((slope) => ({ slope, score: gathering(pieces, slope, usual) }))
  const best = scores.reduce((a, b) => (b.score > a.score ? b : a), { slope: 0, score: 0 })
  const letters = items.reduce((sum, { text }) => sum + text.length, 0)
  return best.score > (letters < FEW_LETTERS ? BETTER_FOR_FEW : BETTER) * gathering(pieces, 0, usual) ? best.slope : 0
}

/** Returns the sum of squares of glyphs per height bin, which is highest for level lines. */
function gathering(pieces: readonly Piece[], slope: number, usualHeight: number): number {
  const strips = new Map<number, Map<number, number>>()
  for (const { x, y, letters } of pieces) {
    const strip = Math.floor(x / (STRIP * usualHeight))
    const heights = strips.get(strip) ?? new Map<number, number>()
    strips.set(strip, heights)
    // Each line counts in two adjacent bins, so that no bin border splits it.
    const bin = Math.floor((y - x * slope) / (BIN * usualHeight))
    for (const near of [bin, bin + 1]) heights.set(near, (heights.get(near) ?? 0) + letters)
  }
  return [...strips.values()].flatMap((heights) => [...heights.values()]).reduce((sum, count) => sum + count * count, 0)
}
