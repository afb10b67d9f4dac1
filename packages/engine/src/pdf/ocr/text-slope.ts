import type { TextInk } from '../ink/text-ink.ts'

/** Steepest slope of the search: 8 degrees. */
const STEEPEST = 0.14
const COARSE = 0.01
const FINE = 0.002
/** Bin height in points. Lines of print have a larger pitch. */
const BIN_POINTS = 3
/** Threshold: ratio of the score at a slope to the score at none. */
const BETTER = 1.12

/**
 * Returns the slope of the lines, as descent per unit to the right, 0 for level. It maximizes the ink per height bin.
 */
export function textSlope(pieces: readonly TextInk[], perPoint: number): number {
  const score = (slope: number): number => gathering(pieces, slope, BIN_POINTS * perPoint)
  const coarse = best(range(-STEEPEST, STEEPEST, COARSE), score)
  const slope = best(range(coarse - COARSE, coarse + COARSE, FINE), score)
  return score(slope) > BETTER * score(0) ? slope : 0
}

function range(from: number, to: number, step: number): number[] {
  return Array.from({ length: Math.round((to - from) / step) + 1 }, (_, index) => from + index * step)
}

function best(slopes: readonly number[], score: (slope: number) => number): number {
  return slopes.map((slope) => ({ slope, value: score(slope) })).reduce((a, b) => (b.value > a.value ? b : a)).slope
}

/**
 * Returns the sum of squares of glyphs per height bin, which is highest for level lines. Adjacent bins share a line.
 */
function gathering(pieces: readonly TextInk[], slope: number, bin: number): number {
  const letters = new Map<number, number>()
  for (const piece of pieces) {
    const height = piece.y1 - ((piece.x0 + piece.x1) / 2) * slope
    const at = Math.floor(height / bin)
    for (const near of [at, at + 1]) letters.set(near, (letters.get(near) ?? 0) + piece.letters)
  }
  return [...letters.values()].reduce((sum, count) => sum + count * count, 0)
}
