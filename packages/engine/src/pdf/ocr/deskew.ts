import type { TextItem } from '@llamaindex/liteparse'
import { median } from '../geometry/box.ts'

/** Steepest slope searched for: 3.4 degrees; scanners feed a sheet askew by less. */
const STEEPEST = 0.06
const STEP = 0.002
/** Lines of print are further apart than this, in heights of their words: a scan may be in points of any size. */
const BIN = 0.3
/** Lines are compared within strips so many heights of words wide: at a false slope lines of one column meet those of the next. */
const STRIP = 30
/** A slope must gather the lines this much better than none to be believed: a few lines gather better by chance. */
const BETTER = 1.04
const BETTER_FOR_FEW = 1.35
const FEW_LETTERS = 400

/** Recognised text of a crooked scan with its lines made level and its columns upright; text of a straight one as it is. */
export function deskewed(items: readonly TextItem[]): readonly TextItem[] {
  const slope = slopeOf(items)
  if (slope === 0) return items
  return items.map((item) => {
    // The box of a slanting line is as high as its letters and its rise together.
    const rise = Math.min(item.width * Math.abs(slope), item.height * 0.6)
    const top = slope > 0 ? item.y : item.y + rise
    const middle = item.y + item.height / 2
    return { ...item, x: item.x + middle * slope, y: top - item.x * slope, height: item.height - rise }
  })
}

/** Letters of an item, at a place on the page. */
interface Piece {
  readonly x: number
  readonly y: number
  readonly letters: number
}

/** An item this many times as wide as it is high counts at several places along it: a false slope may meet the middle of a line, not both ends. */
const WORD_ASPECT = 4

function piecesOf({ text, x, y, width, height }: TextItem): Piece[] {
  const count = Math.max(1, Math.min(text.length, Math.round(width / (WORD_ASPECT * height))))
  return Array.from({ length: count }, (_, index) => ({
    x: x + ((index + 0.5) * width) / count,
    y: y + height / 2,
    letters: text.length / count,
  }))
}

/** How far lines of print sink per point to the right: the slope at which most text falls onto few heights. */
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

/** Sum of squares of the letters per height: highest when lines are level. */
function gathering(pieces: readonly Piece[], slope: number, usualHeight: number): number {
  const strips = new Map<number, Map<number, number>>()
  for (const { x, y, letters } of pieces) {
    const strip = Math.floor(x / (STRIP * usualHeight))
    const heights = strips.get(strip) ?? new Map<number, number>()
    strips.set(strip, heights)
    // Two neighbouring bins share a line, so that none is cut by their border.
    const bin = Math.floor((y - x * slope) / (BIN * usualHeight))
    for (const near of [bin, bin + 1]) heights.set(near, (heights.get(near) ?? 0) + letters)
  }
  return [...strips.values()].flatMap((heights) => [...heights.values()]).reduce((sum, count) => sum + count * count, 0)
}
