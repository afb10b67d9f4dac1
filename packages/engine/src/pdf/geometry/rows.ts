import { type Box, median, middleX, middleY, union } from './box.ts'
import { BEGINS_WITH_RUN, ENDS_IN_RUN } from './ideographs.ts'
import type { Word } from './words.ts'

/** Consecutive words of a line without a gap: part of a sentence, or one cell of a table. */
export interface Segment extends Box {
  readonly words: readonly Word[]
}

/** Segments at the same height, from left to right. */
export interface Row extends Box {
  readonly segments: readonly Segment[]
}

/** Threshold: fraction of the font size. Words whose vertical centres are nearer share a line. */
const SAME_LINE = 0.38
/** Height of a line's centre above its baseline, as a fraction of the font size. */
const ABOVE_BASELINE = 0.3
const BLURRED_LETTERS = 2
const BLURRED = 1.6
/** Threshold: fraction of the font size. A wider gap ends a segment. Spaces of justified text are narrower. */
const SEGMENT_GAP = 0.95
/** Threshold for ideographs. They have no spaces, however a line is justified. */
const IDEOGRAPHS_GAP = 0.6

/** Groups words into rows from top to bottom. */
export function rowsOf(words: readonly Word[]): Row[] {
  const groups: { middle: number; size: number; words: Word[] }[] = []
  const usual = usualSize(words)
  const levelled = words.map((word) => levelledWord(word, usual)).sort((a, b) => a.at - b.at)
  for (const { word, at, size } of levelled) {
    const near = groups.slice(-4).filter((group) => {
      const tolerance = SAME_LINE * Math.max(group.size, size)
      return Math.abs(group.middle - at) < tolerance
    })
    const group = near.sort((a, b) => Math.abs(a.middle - at) - Math.abs(b.middle - at))[0]
    if (group === undefined) {
      groups.push({ middle: at, size, words: [word] })
    } else {
      group.words.push(word)
      // The largest glyph size decides the line's position, so superscripts do not shift it.
      if (size > group.size * 1.2) Object.assign(group, { middle: at, size })
    }
  }
  return groups.map((group) => rowOf(segmentsOf(group.words))).sort((a, b) => a.y0 - b.y0)
}

/** Returns the median size of the recognised words. */
const usualSize = (words: readonly Word[]): number =>
  median(words.flatMap(({ confidence, size }) => (confidence === null ? [] : [size])))

/**
 * Levels recognised words by their baseline. Ink height depends on the glyph, so the centres of words differ on one
 * line. The ink of a single letter much larger than the rest includes a speck or a rule.
 */
function levelledWord(word: Word, usual: number): { readonly word: Word; readonly at: number; readonly size: number } {
  if (word.confidence === null) return { word, at: middleY(word), size: word.size }
  const isBlurred = word.text.length <= BLURRED_LETTERS && word.size > BLURRED * usual
  if (isBlurred) return { word, at: middleY(word), size: usual }
  return { word, at: word.baseline - ABOVE_BASELINE * word.size, size: word.size }
}

export function rowOf(segments: readonly Segment[]): Row {
  return { ...union(segments), segments: [...segments].sort((a, b) => a.x0 - b.x0) }
}

function segmentsOf(words: readonly Word[]): Segment[] {
  const segments: Word[][] = []
  let right = Number.NEGATIVE_INFINITY
  for (const word of [...words].sort((a, b) => a.x0 - b.x0)) {
    const last = segments.at(-1)
    const before = last?.at(-1)
    const inRun = ENDS_IN_RUN.test(before?.text ?? '') && BEGINS_WITH_RUN.test(word.text)
    const widest = (inRun ? IDEOGRAPHS_GAP : SEGMENT_GAP) * Math.min(word.size, before?.size ?? word.size)
    if (last === undefined || word.x0 - right > widest) {
      segments.push([word])
    } else {
      last.push(word)
    }
    right = Math.max(right, word.x1)
  }
  return segments.map(segmentOf)
}

export function segmentOf(words: readonly Word[]): Segment {
  return { ...union(words), words }
}

export const wordsIn = (row: Row): Word[] => row.segments.flatMap((segment) => segment.words)

/** Returns the size of most letters of a line. Small raised digits do not count. */
export function sizeOf(words: readonly Word[]): number {
  const [first] = words
  if (first === undefined || words.every((word) => word.size === first.size)) return first?.size ?? 0
  const sorted = [...words].sort((a, b) => a.size - b.size)
  let left = Math.floor(sorted.reduce((sum, word) => sum + word.text.length, 0) / 2)
  return sorted.find((word) => (left -= word.text.length) < 0)?.size ?? 0
}

/** Groups rotated words into lines in reading order. */
export function turnedLines(words: readonly Word[]): Word[][] {
  const downwards = words[0]?.turned === 90
  const direction = downwards ? -1 : 1
  const across = words[0]?.mirrored === true ? -direction : direction
  const lines: Word[][] = []
  for (const word of [...words].sort((a, b) => across * (middleX(a) - middleX(b)))) {
    const last = lines.at(-1)
    const near = last?.[0] !== undefined && Math.abs(middleX(last[0]) - middleX(word)) < (word.x1 - word.x0) / 2
    if (near) last?.push(word)
    else lines.push([word])
  }
  return lines.map((line) => line.sort((a, b) => direction * (b.y0 - a.y0)))
}
