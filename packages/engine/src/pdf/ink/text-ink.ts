import { type Component, componentsOf } from './components.ts'
import type { InkMask } from './ink-mask.ts'

/** Sizes of letters that count as text, as heights of their ink in points. */
const LOWEST_POINTS = 3.4
const HIGHEST_POINTS = 40
/** Longest unbroken stroke of a word, and of a letter upright; what is longer is a rule, a frame or a picture. */
const LONGEST_STROKE_POINTS = 110
const HIGHEST_STROKE_POINTS = 46
/** A shorter stroke across is a rule where it is thin: a bar of a stamp, the underline of a word. */
const SHORTEST_RULE_POINTS = 50
/** This far above and below the middle of a thin stroke is paper, but for the letters that it crosses. */
const RULE_RIM_POINTS = 2.2
const MOST_CROSSED = 0.6
/** A rule that letters show above and below of is at most so thick. */
const THICKEST_RULE_POINTS = 3
/** Share of a word's box that is ink: hairlines and diagonals have less, filled shapes more. */
const LEAST_FILL = 0.12
/** Words that run together are a line of print; a long box with less ink holds rules and curves. */
const LEAST_FILL_LONG = 0.28
const LONG_ASPECT = 8
const MOST_FILL = 0.92
/** Letters this high, in points, are strokes with space between them; a fuller box is a shaded area. */
const LARGE_POINTS = 9
const MOST_FILL_LARGE = 0.72
/** Around a word is paper: at most this share of the frame around its box is ink. */
const MOST_CROWDED = 0.4
/** A box of so many pixels with little ink inside is a frame, such as an empty cell; letters are smaller or fuller. */
const FRAME_PIXELS = 7
const MOST_IN_FRAME = 0.03
/** A long frame is a row of a table: its cells may hold words. */
const MOST_IN_LONG_FRAME = 0.15
/** Width of an average letter as a share of its ink's height. */
const LETTER_WIDTH = 0.75

/** A stretch of ink that looks like letters: its box in pixels, its scale, and about how many letters it holds. */
export interface TextInk extends Component {
  readonly perPoint: number
  readonly letters: number
}

/** All ink of letters' size, in any direction: what looks like words or letters, and what may be broken ones. */
export interface SmallInk {
  readonly text: readonly TextInk[]
  /** Other marks, such as specks, hatching and what noise or fading left of letters. */
  readonly marks: readonly Component[]
}

/**
 * Tells ink that looks like words or letters from other marks; rules, frames and pictures are left out. `barred`: letters
 * that short rules cross count too, as below a stamp; OCR would read the pieces that are left of them no better.
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
    const most = short > LARGE_POINTS * mask.perPoint ? MOST_FILL_LARGE : MOST_FILL
    const least = long > LONG_ASPECT * short ? LEAST_FILL_LONG : LEAST_FILL
    const likeText =
      short >= lowest &&
      fill >= least &&
      fill <= most &&
      crowding(component, cleared, ink) <= MOST_CROWDED &&
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

/** The mask without runs of ink that are longer than any letter's stroke. */
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
 * Gives strokes back what a rule took that runs through them: pixels with ink above and below, neither of which is the edge
 * of a rule. A frame through a line hides no letter.
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

/** Length of the run of ink in a row that a pixel lies in. */
function runThrough(ink: Uint8Array, at: number, width: number): number {
  const row = at - (at % width)
  let [first, end] = [at, at + 1]
  while (first > row && ink[first - 1] === 1) first -= 1
  while (end < row + width && ink[end] === 1) end += 1
  return end - first
}

/** Whether a run across is a rule: letters that run together have ink above and below it, a rule what it crosses. */
function isThin({ width, height, ink, perPoint }: InkMask, x: number, y: number, length: number): boolean {
  const rim = Math.max(2, Math.round(RULE_RIM_POINTS * perPoint))
  const inkAt = (row: number): number => {
    if (row < 0 || row >= height) return 0
    let count = 0
    for (let at = row * width + x; at < row * width + x + length; at += 1) count += ink[at] ?? 0
    return count
  }
  return Math.max(inkAt(y - rim), inkAt(y + rim)) < MOST_CROSSED * length
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

/** Sums of ink over the rectangle from the corner to each pixel, one row and one column larger than the mask. */
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

/** Ink of a rectangle. */
function inkIn(ink: Uint32Array, width: number, x0: number, y0: number, x1: number, y1: number): number {
  const at = (x: number, y: number): number => ink[y * (width + 1) + x] ?? 0
  return at(x1, y1) - at(x0, y1) - at(x1, y0) + at(x0, y0)
}

function isFrame({ x0, y0, x1, y1 }: Component, { width }: InkMask, ink: Uint32Array): boolean {
  const [short, long] = [Math.min(x1 - x0, y1 - y0), Math.max(x1 - x0, y1 - y0)]
  if (short < FRAME_PIXELS) return false
  const rim = Math.max(2, Math.floor(short / 4))
  const inside = inkIn(ink, width, x0 + rim, y0 + rim, x1 - rim, y1 - rim)
  const most = long > LONG_ASPECT * short ? MOST_IN_LONG_FRAME : MOST_IN_FRAME
  return inside < most * (x1 - x0 - 2 * rim) * (y1 - y0 - 2 * rim)
}

/** Share of ink in the frame of one letter gap around a component's box. */
function crowding(box: Component, { width, height, perPoint }: InkMask, ink: Uint32Array): number {
  const frame = Math.max(1, Math.round(perPoint * 1.4))
  const [x0, y0] = [Math.max(0, box.x0 - frame), Math.max(0, box.y0 - frame)]
  const [x1, y1] = [Math.min(width, box.x1 + frame), Math.min(height, box.y1 + frame)]
  const around = inkIn(ink, width, x0, y0, x1, y1) - inkIn(ink, width, box.x0, box.y0, box.x1, box.y1)
  const area = (x1 - x0) * (y1 - y0) - (box.x1 - box.x0) * (box.y1 - box.y0)
  return area <= 0 ? 1 : around / area
}
