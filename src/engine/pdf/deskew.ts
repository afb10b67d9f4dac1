import type { TextItem } from '@llamaindex/liteparse'

/** Steepest slope searched for: 3.4 degrees; scanners feed a sheet askew by less. */
const STEEPEST = 0.06
const STEP = 0.002
/** Lines of print are further apart than this. */
const BIN_POINTS = 3
/** A slope must gather the lines this much better than none to be believed: a few lines gather better by chance. */
const BETTER = 1.08
const BETTER_FOR_FEW = 1.35
const FEW_LETTERS = 400

/** Recognised text of a crooked scan with its lines made level; text of a straight one as it is. */
export function deskewed(items: readonly TextItem[]): readonly TextItem[] {
  const slope = slopeOf(items)
  if (slope === 0) return items
  return items.map((item) => {
    // The box of a slanting line is as high as its letters and its rise together.
    const rise = Math.min(item.width * Math.abs(slope), item.height * 0.6)
    const top = slope > 0 ? item.y : item.y + rise
    return { ...item, y: top - item.x * slope, height: item.height - rise }
  })
}

/** How far lines of print sink per point to the right: the slope at which most text falls onto few heights. */
export function slopeOf(items: readonly TextItem[]): number {
  const steps = Math.round(STEEPEST / STEP)
  const slopes = Array.from({ length: 2 * steps + 1 }, (_, index) => (index - steps) * STEP)
  const scores = slopes.map((slope) => ({ slope, score: gathering(items, slope) }))
  const best = scores.reduce((a, b) => (b.score > a.score ? b : a), { slope: 0, score: 0 })
  const letters = items.reduce((sum, { text }) => sum + text.length, 0)
  return best.score > (letters < FEW_LETTERS ? BETTER_FOR_FEW : BETTER) * gathering(items, 0) ? best.slope : 0
}

/** Sum of squares of the letters per height: highest when lines are level. */
function gathering(items: readonly TextItem[], slope: number): number {
  const letters = new Map<number, number>()
  for (const item of items) {
    const height = item.y + item.height / 2 - (item.x + item.width / 2) * slope
    // Two neighbouring bins share a line, so that none is cut by their border.
    const bin = Math.floor(height / BIN_POINTS)
    for (const near of [bin, bin + 1]) letters.set(near, (letters.get(near) ?? 0) + item.text.length)
  }
  return [...letters.values()].reduce((sum, count) => sum + count * count, 0)
}
