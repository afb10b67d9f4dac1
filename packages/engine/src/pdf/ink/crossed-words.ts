import type { Box } from '../geometry/box.ts'
import type { InkMask } from './ink-mask.ts'

/** Threshold in points. Longer vertical ink than any glyph's stroke is a streak of the scanner, or a rule. */
const SHORTEST_STREAK_POINTS = 46
/** Threshold in pixels. Noise and compression interrupt a streak for at most this gap. */
const MAX_GAP_PIXELS = 2
/**
 * Threshold: fraction of the word's height. With ink this near on both sides, the streak crosses a word. The area next
 * to the rules of a table is paper.
 */
const NEAR = 0.3
/** Threshold: fraction of the word's height. A streak passes a word above and below, or ends this near to its edge. */
const SHORT_OF_EDGE = 0.2

/** A rectangle of pixel columns and rows, with exclusive ends. */
type Streak = { -readonly [Side in keyof Box]: Box[Side] }

/**
 * Returns the number of words that streaks cross. OCR reads the remains of such a word with confidence. The boxes are
 * of words or of lines of words, in points, deskewed like the mask.
 */
export function crossedWords(mask: InkMask, words: readonly Box[]): number {
  const streaks = streaksOf(mask)
  const lines = words.map(({ x0, y0, x1, y1 }) => ({
    x0: x0 * mask.perPoint,
    y0: y0 * mask.perPoint,
    x1: x1 * mask.perPoint,
    y1: y1 * mask.perPoint,
  }))
  let count = 0
  for (const streak of streaks) {
    // Both halves of a broken word are adjacent to the same streak.
    const found: Box[] = []
    for (const line of lines) {
      if (found.some((other) => line.y0 < (other.y0 + other.y1) / 2 && line.y1 > (other.y0 + other.y1) / 2)) continue
      if (runsThrough(streak, line, mask)) found.push(line)
    }
    count += found.length
  }
  return count
}

/** True if a streak crosses glyphs of a line, or runs between two adjacent glyphs. */
function runsThrough(streak: Streak, line: Box, mask: InkMask): boolean {
  const height = line.y1 - line.y0
  const near = NEAR * height
  if (streak.x1 < line.x0 - near || streak.x0 > line.x1 + near) return false
  if (streak.y0 > line.y0 + SHORT_OF_EDGE * height || streak.y1 < line.y1 - SHORT_OF_EDGE * height) return false
  const reach = Math.max(2, Math.round(near))
  const [top, bottom] = [Math.max(0, Math.round(line.y0)), Math.min(mask.height, Math.round(line.y1))]
  return (
    hasInk(mask, streak.x0 - reach, streak.x0 - 1, top, bottom) &&
    hasInk(mask, streak.x1 + 1, streak.x1 + reach, top, bottom)
  )
}

/** True if any pixel of a rectangle is ink. */
function hasInk({ width, ink }: InkMask, x0: number, x1: number, y0: number, y1: number): boolean {
  for (let y = y0; y < y1; y += 1) {
    for (let x = Math.max(0, x0); x < Math.min(width, x1); x += 1) if (ink[y * width + x] === 1) return true
  }
  return false
}

/** Returns the streaks of a mask in pixels. Adjacent columns of ink form one streak. */
function streaksOf(mask: InkMask): Streak[] {
  const streaks: Streak[] = []
  for (let x = 0; x < mask.width; x += 1) {
    for (const [y0, y1] of longRuns(mask, x)) {
      const beside = streaks.find((streak) => streak.x1 >= x && streak.y0 < y1 && streak.y1 > y0)
      if (beside === undefined) streaks.push({ x0: x, x1: x + 1, y0, y1 })
      else {
        beside.x1 = x + 1
        beside.y0 = Math.min(beside.y0, y0)
        beside.y1 = Math.max(beside.y1, y1)
      }
    }
  }
  return streaks
}

/** Returns the row range [first, end) of each long run of ink in a column. */
function longRuns({ width, height, perPoint, ink }: InkMask, x: number): [number, number][] {
  const shortest = SHORTEST_STREAK_POINTS * perPoint
  const runs: [number, number][] = []
  let [start, end] = [0, 0]
  for (let y = 0; y < height; y += 1) {
    if (ink[y * width + x] !== 1) continue
    if (y - end > MAX_GAP_PIXELS) start = y
    end = y + 1
    const last = runs.at(-1)
    if (last?.[0] === start) last[1] = end
    else if (end - start > shortest) runs.push([start, end])
  }
  return runs
}
