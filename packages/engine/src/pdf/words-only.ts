import { type Component, componentsOf } from './ink/components.ts'
import type { PageDrawing } from './ink/grey-picture.ts'
import type { Box } from './geometry/box.ts'

/** Threshold of the difference from white at which a pixel counts as marked, of 255. */
const VISIBLE = 9
/** Threshold: minimum fraction of white paper on a page that this check decides. */
const MIN_WHITE = 0.4
/** Overhang of glyphs beyond their word box, in points. */
const MARGIN_POINTS = 2
/**
 * Threshold in points. A thin run of at least this length is a rule. A run that is thick both ways is a surface or a
 * picture.
 */
const RULE_POINTS = 20
const THIN_POINTS = 3
const THICK_POINTS = 20
/** Threshold in square points. A larger surface is a picture, or shading that may hold text. */
const MIN_SURFACE = 48
/** Threshold in square points of ink. Smaller marks are remains of words. */
const MIN_MARK = 20
/** Threshold: number of marks next to text that the check tolerates. OCR needs eight letters or more. */
const MAX_MARKS = 3
/**
 * Threshold: number of letters that the marks may equal in size. A complete word is connected at this resolution. Noise
 * is too, and forms a mark higher than any glyph.
 */
const MAX_LETTERS = 8
const HIGHEST_POINTS = 40
const LETTER_WIDTH = 0.75
/** Threshold in points. A solid bar of at most this height is a rule. */
const BAR_POINTS = 4.5
const FULL = 0.97
/** Threshold in letters. With this much text on the page, the check ignores small marks. */
const MUCH_TEXT = 200
/** Threshold: maximum fraction of the word area that may be blank. */
const MAX_BLANK = 0.05

/**
 * True if a small drawing proves that a page shows only its words and rules. Such a page has no picture, no surface and
 * no mark that may be a glyph. Most pages that a program wrote pass. `false` is inconclusive. The check does not prove
 * that words are visible: they may lie invisibly over a picture of words.
 */
export function showsOnlyWords(drawing: PageDrawing, words: readonly (Box & { readonly text: string })[]): boolean {
  const { width, height, grey } = drawing
  const marks = new Uint8Array(width * height)
  let shown = 0
  for (let at = 0; at < grey.length; at += 1) {
    if ((grey[at] ?? 255) >= 255 - VISIBLE) continue
    marks[at] = 1
    shown += 1
  }
  if (shown > (1 - MIN_WHITE) * grey.length) return false
  if (clearWords(marks, drawing, words) > MAX_BLANK) return false
  const pixels = drawing.perPoint ** 2
  // Too few pixels for a surface or a mark of any shape. Most pages without rules end here.
  if (hasFewer(marks, MIN_MARK * pixels)) return true
  if (clearRules(marks, drawing) >= MIN_SURFACE * pixels) return false
  const left = componentsOf({ width, height, perPoint: drawing.perPoint, ink: marks, grainShare: 0, noiseShare: 0 })
  const letters = words.reduce((sum, { text }) => sum + text.length, 0)
  const large = left.filter((mark) => mark.pixels >= MIN_MARK * pixels)
  if (large.length > (letters >= MUCH_TEXT ? MAX_MARKS : 0)) return false
  return large.reduce((sum, mark) => sum + lettersIn(mark, drawing.perPoint), 0) < MAX_LETTERS
}

function hasFewer(marks: Uint8Array, least: number): boolean {
  let count = 0
  for (let at = marks.indexOf(1); at >= 0 && count < least; at = marks.indexOf(1, at + 1)) count += 1
  return count < least
}

/** Estimates how many letters of an unread word a mark may be. */
function lettersIn({ x0, y0, x1, y1, pixels }: Component, perPoint: number): number {
  const [short, long] = [Math.min(x1 - x0, y1 - y0), Math.max(x1 - x0, y1 - y0)]
  if (short > HIGHEST_POINTS * perPoint) return Infinity
  if (short <= BAR_POINTS * perPoint && pixels >= FULL * short * long) return 0
  return long / (short * LETTER_WIDTH)
}

/** Clears the pixels below words. Returns the fraction of the word area that was blank. */
function clearWords(marks: Uint8Array, drawing: PageDrawing, words: readonly Box[]): number {
  const { width } = drawing
  const places = words.map((word) => placeOf(word, drawing))
  let [area, blank] = [0, 0]
  for (const { x0, y0, x1, y1 } of places) {
    let isBlank = true
    for (let y = y0; y < y1 && isBlank; y += 1) isBlank = !marks.subarray(y * width + x0, y * width + x1).includes(1)
    area += (x1 - x0) * (y1 - y0)
    if (isBlank) blank += (x1 - x0) * (y1 - y0)
  }
  // Boxes overlap, so one box may clear the only pixels of another.
  for (const { x0, y0, x1, y1 } of places) {
    for (let y = y0; y < y1; y += 1) marks.fill(0, y * width + x0, y * width + x1)
  }
  return area === 0 ? 0 : blank / area
}

/** Pixel box of a word, overhang included. */
function placeOf(box: Box, { width, height, perPoint }: PageDrawing): Box {
  const x0 = Math.max(0, Math.min(width, Math.floor((box.x0 - MARGIN_POINTS) * perPoint)))
  const y0 = Math.max(0, Math.min(height, Math.floor((box.y0 - MARGIN_POINTS) * perPoint)))
  const x1 = Math.max(x0, Math.min(width, Math.ceil((box.x1 + MARGIN_POINTS) * perPoint)))
  return { x0, y0, x1, y1: Math.max(y0, Math.min(height, Math.ceil((box.y1 + MARGIN_POINTS) * perPoint))) }
}

/** Clears rules. Returns the number of pixels in surfaces, which are thick both ways. */
function clearRules(marks: Uint8Array, { width, perPoint }: PageDrawing): number {
  const [long, thin, thick] = [RULE_POINTS * perPoint, THIN_POINTS * perPoint, THICK_POINTS * perPoint]
  const { across, down } = runLengths(marks, width)
  // Both runs are long at the crossing of two rules. The pixel diagonally past a crossing is paper.
  const beyond = Math.ceil(thin) + 1
  const original = marks.slice()
  let surface = 0
  for (let at = original.indexOf(1); at >= 0; at = nextMark(original, at)) {
    const [wide, high] = [across[at] ?? 0, down[at] ?? 0]
    if (wide >= thick && high >= thick) surface += original[at + beyond * width + beyond] ?? 0
    else if ((wide >= long && high <= thin) || (high >= long && wide <= thin)) marks[at] = 0
  }
  return surface
}

/**
 * Returns the index of the next marked pixel after `at`, or -1. Most marks are adjacent; `indexOf` skips paper in one
 * call.
 */
function nextMark(marks: Uint8Array, at: number): number {
  return marks[at + 1] === 1 ? at + 1 : marks.indexOf(1, at + 1)
}

/** Returns the lengths of the row run and the column run through each marked pixel. Few pixels are marked. */
function runLengths(marks: Uint8Array, width: number): { readonly across: Uint16Array; readonly down: Uint16Array } {
  const [across, down] = [new Uint16Array(marks.length), new Uint16Array(marks.length)]
  for (let at = marks.indexOf(1); at >= 0; at = nextMark(marks, at)) {
    const column = at % width
    if (column === 0 || marks[at - 1] === 0) {
      let end = at + 1
      for (const rowEnd = at - column + width; end < rowEnd && marks[end] === 1;) end += 1
      across.fill(end - at, at, end)
    }
    if (at < width || marks[at - width] === 0) {
      let end = at + width
      while (end < marks.length && marks[end] === 1) end += width
      const length = (end - at) / width
      for (let pixel = at; pixel < end; pixel += width) down[pixel] = length
    }
  }
  return { across, down }
}
