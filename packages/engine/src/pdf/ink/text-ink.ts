import { type Component, componentsOf } from './components.ts'
import type { InkMask } from './ink-mask.ts'

/** Threshold: lowest and highest height of a glyph's ink, in points. */
const LOWEST_POINTS = 3.4
const HIGHEST_POINTS = 40
/**
 * Upper limits in points: the length of a stroke in a word, and the height of a vertical stroke in a glyph. Longer ink
 * is a rule, a frame or a picture.
 */
const LONGEST_STROKE_POINTS = 110
const HIGHEST_STROKE_POINTS = 46
/**
 * Threshold in points. A shorter horizontal stroke is a rule only if it is thin: a bar of a stamp, the underline of a
 * word.
 */
const SHORTEST_RULE_POINTS = 50
/** Threshold in points. Paper surrounds a thin stroke at this distance, except for the glyphs that it crosses. */
const RULE_RIM_POINTS = 2.2
const MAX_CROSSED = 0.6
/** Threshold in points: maximum thickness of a rule with glyph parts above and below. */
const THICKEST_RULE_POINTS = 3
/** Threshold: ink fraction of a word's box. Hairlines and diagonals have less, filled shapes more. */
const MIN_FILL = 0.12
/** Thresholds for merged words, which form a line of print. A long box with less ink holds rules and curves. */
const MIN_FILL_LONG = 0.28
const LONG_ASPECT = 8
const MAX_FILL = 0.92
/**
 * Thresholds for large glyphs: height in points, and ink fraction of the box. Large glyphs are strokes with gaps, and a
 * fuller box is a shaded area.
 */
const LARGE_POINTS = 9
const MAX_FILL_LARGE = 0.72
/** Threshold: ink fraction of the frame around a word's box. Paper surrounds a word. */
const MAX_CROWDED = 0.4
/**
 * Threshold: a box of this many pixels with little ink inside is a frame, such as an empty cell. A glyph is smaller or
 * fuller.
 */
const FRAME_PIXELS = 7
const MAX_IN_FRAME = 0.03
/** Threshold for a long frame, which is a row of a table. Its cells may hold words. */
const MAX_IN_LONG_FRAME = 0.15
/** Width of an average glyph as a fraction of its ink height. */
const LETTER_WIDTH = 0.75

/** Ink with the shape of glyphs: its box in pixels, its scale, and its estimated number of glyphs. */
export interface TextInk extends Component {
  readonly perPoint: number
  readonly letters: number
}

/** All ink of glyph size in any direction: probable words or glyphs, and possible fragments. */
export interface SmallInk {
  readonly text: readonly TextInk[]
  /** Other marks, such as specks, hatching and remains of glyphs after noise or fading. */
  readonly marks: readonly Component[]
}

/**
 * Separates ink of words or glyphs from other marks. Omits rules, frames and pictures. With `barred`, glyphs under
 * short rules count too, as below a stamp. OCR reads their remains no better.
 */
export function smallInk(mask: InkMask, { barred }: { readonly barred: boolean }): SmallInk {
  const cleared = withoutStrokes(mask, barred)
  const ink = sums(cleared)
  const lowest = Math.max(2.5, LOWEST_POINTS * mask.perPoint)
  const highest = HIGHEST_POINTS * mask.perPoint
  const text: TextInk[] = []
  const marks: Component[] = []
  for (const component of componentsOf(cleared)) {
    const [width, height] = [component.x1 - component.x0, component.y1 - component.y0]
    const [short, long] = [Math.min(width, height), Math.max(width, height)]
    if (short > highest) continue
    const fill = component.pixels / (width * height)
    const most = short > LARGE_POINTS * mask.perPoint ? MAX_FILL_LARGE : MAX_FILL
    const least = long > LONG_ASPECT * short ? MIN_FILL_LONG : MIN_FILL
    const likeText =
      short >= lowest &&
      fill >= least &&
      fill <= most &&
      crowding(component, cleared, ink) <= MAX_CROWDED &&
      !isFrame(component, cleared, ink)
    if (likeText)
      text.push({ ...component, perPoint: mask.perPoint, letters: Math.max(1, long / (short * LETTER_WIDTH)) })
    else marks.push(component)
  }
  return { text, marks }
}

export function textInk(mask: InkMask): readonly TextInk[] {
  return smallInk(mask, { barred: false }).text
}

/** Removes runs of ink longer than any glyph's stroke. */
function withoutStrokes(mask: InkMask, barred: boolean): InkMask {
  const { width, height, perPoint } = mask
  const ink = mask.ink.slice()
  const across = Math.round(LONGEST_STROKE_POINTS * perPoint)
  const down = Math.round(HIGHEST_STROKE_POINTS * perPoint)
  const shortest = Math.round(SHORTEST_RULE_POINTS * perPoint)
  for (let y = 0; y < height; y += 1) {
    const isStroke = (x: number, length: number): boolean =>
      length > across || (barred && length > shortest && isThin(mask, x, y, length))
    clearRuns(mask.ink, ink, { start: y * width, step: 1, count: width }, isStroke)
  }
  for (let x = 0; x < width; x += 1) {
    clearRuns(mask.ink, ink, { start: x, step: width, count: height }, (_, length) => length > down)
  }
  if (barred) joinAcrossRules(mask, ink)
  return { ...mask, ink }
}

/**
 * Restores parts of strokes that the removal of a rule took: pixels with ink above and below, neither the edge of a
 * rule. A frame through a line hides no glyph.
 */
function joinAcrossRules({ width, height, ink: whole, perPoint }: InkMask, ink: Uint8Array): void {
  const thickest = Math.max(2, Math.round(THICKEST_RULE_POINTS * perPoint))
  const shortest = Math.round(SHORTEST_RULE_POINTS * perPoint)
  for (let at = width; at < width * (height - 1); at += 1) {
    if (whole[at] === 0 || ink[at] === 1 || ink[at - width] === 0) continue
    let below = at + width
    while (below < ink.length && whole[below] === 1 && ink[below] === 0) below += width
    if (ink[below] !== 1 || below - at > thickest * width) continue
    if (Math.max(runThrough(ink, at - width, width), runThrough(ink, below, width)) > shortest) continue
    for (let lost = at; lost < below; lost += width) ink[lost] = 1
  }
}

/** Returns the length of the horizontal run of ink through a pixel. */
function runThrough(ink: Uint8Array, at: number, width: number): number {
  const row = at - (at % width)
  let [first, end] = [at, at + 1]
  while (first > row && ink[first - 1] === 1) first -= 1
  while (end < row + width && ink[end] === 1) end += 1
  return end - first
}

/**
 * True if a horizontal run is a rule. Merged glyphs have ink above and below, a rule only the glyphs that it crosses.
 */
function isThin({ width, height, ink, perPoint }: InkMask, x: number, y: number, length: number): boolean {
  const rim = Math.max(2, Math.round(RULE_RIM_POINTS * perPoint))
  const inkAt = (row: number): number => {
    if (row < 0 || row >= height) return 0
    let count = 0
    for (let at = row * width + x; at < row * width + x + length; at += 1) count += ink[at] ?? 0
    return count
  }
  return Math.max(inkAt(y - rim), inkAt(y + rim)) < MAX_CROSSED * length
}

/** A row or a column of a mask. */
interface Track {
  readonly start: number
  readonly step: number
  readonly count: number
}

function clearRuns(
  from: Uint8Array,
  to: Uint8Array,
  { start, step, count }: Track,
  isStroke: (first: number, length: number) => boolean,
): void {
  let run = 0
  for (let index = 0, at = start; index <= count; index += 1, at += step) {
    if (index < count && from[at] === 1) {
      run += 1
      continue
    }
    if (run > 0 && isStroke(index - run, run)) for (let back = 1; back <= run; back += 1) to[at - back * step] = 0
    run = 0
  }
}

/** Returns the summed-area table of ink, one row and one column larger than the mask. */
function sums({ width, height, ink }: InkMask): Uint32Array {
  const out = new Uint32Array((width + 1) * (height + 1))
  for (let y = 0; y < height; y += 1) {
    let row = 0
    for (let x = 0; x < width; x += 1) {
      row += ink[y * width + x] ?? 0
      out[(y + 1) * (width + 1) + x + 1] = (out[y * (width + 1) + x + 1] ?? 0) + row
    }
  }
  return out
}

/** Returns the ink of a rectangle. */
function inkIn(ink: Uint32Array, width: number, x0: number, y0: number, x1: number, y1: number): number {
  const at = (x: number, y: number): number => ink[y * (width + 1) + x] ?? 0
  return at(x1, y1) - at(x0, y1) - at(x1, y0) + at(x0, y0)
}

function isFrame({ x0, y0, x1, y1 }: Component, { width }: InkMask, ink: Uint32Array): boolean {
  const [short, long] = [Math.min(x1 - x0, y1 - y0), Math.max(x1 - x0, y1 - y0)]
  if (short < FRAME_PIXELS) return false
  const rim = Math.max(2, Math.floor(short / 4))
  const inside = inkIn(ink, width, x0 + rim, y0 + rim, x1 - rim, y1 - rim)
  const most = long > LONG_ASPECT * short ? MAX_IN_LONG_FRAME : MAX_IN_FRAME
  return inside < most * (x1 - x0 - 2 * rim) * (y1 - y0 - 2 * rim)
}

/** Returns the ink fraction of the frame around a component's box. The frame is one glyph gap wide. */
function crowding(box: Component, { width, height, perPoint }: InkMask, ink: Uint32Array): number {
  const frame = Math.max(1, Math.round(perPoint * 1.4))
  const [x0, y0] = [Math.max(0, box.x0 - frame), Math.max(0, box.y0 - frame)]
  const [x1, y1] = [Math.min(width, box.x1 + frame), Math.min(height, box.y1 + frame)]
  const around = inkIn(ink, width, x0, y0, x1, y1) - inkIn(ink, width, box.x0, box.y0, box.x1, box.y1)
  const area = (x1 - x0) * (y1 - y0) - (box.x1 - box.x0) * (box.y1 - box.y0)
  return area <= 0 ? 1 : around / area
}
