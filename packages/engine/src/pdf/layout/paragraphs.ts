import type { LayoutBlock, Line, ListItem, TextBlock } from './block.ts'
import { median, middleX, middleY, union, type Box } from '../geometry/box.ts'
import { isLoneBullet, markedLine } from './list-marker.ts'
import { sizeOf } from '../geometry/rows.ts'

/** A printed line with the properties that decide if the next line continues it. */
interface Print extends Box {
  readonly words: Line
  readonly size: number
  /** Weight that four fifths of its letters have at least. */
  readonly weight: number
  readonly monospaced: boolean
  readonly recognised: boolean
}

/** The column of the lines. */
interface Column {
  readonly left: number
  readonly right: number
  /** Returns the pitch of lines in a paragraph, for a glyph size. */
  readonly pitchOf: (size: number) => number
  readonly lines: number
}

/** Threshold of weight difference: light to medium. Regular and bold differ by more. */
const OTHER_WEIGHT = 200

/** Threshold: number of recognised words in a line that make its size reliable. */
const WORDS_OF_LINE = 3

type Open = { -readonly [K in keyof TextBlock]: TextBlock[K] } | { -readonly [K in keyof ListItem]: ListItem[K] }

/** Groups the lines of a column into paragraphs, list items and code, from top to bottom. */
export function paragraphsOf(lines: readonly Line[]): LayoutBlock[] {
  const prints = withLoneBullets(lines.filter((line) => line.length > 0)).map(printOf)
  const column = columnOf(prints)
  const blocks: { open: Open; prints: Print[]; markerX: number }[] = []
  for (const print of prints) {
    const current = blocks.at(-1)
    const above = current?.prints.at(-1)
    const item = above === undefined ? null : startsItem(print, above, column)
    const marked = markedLine(print.words, item ?? true)
    const depth =
      marked === null
        ? 0
        : depthOf(
            print,
            blocks.map((block) => block),
          )
    if (marked !== null && !print.monospaced) {
      blocks.push({
        open: { kind: 'list_item', box: print, lines: [marked.rest], marker: marked.marker, depth },
        prints: [print],
        markerX: print.x0,
      })
    } else if (current !== undefined && above !== undefined && !breaks(current.prints, above, print, column)) {
      current.open.lines = [...current.open.lines, print.words]
      current.open.box = union([current.open.box, print])
      current.prints.push(print)
    } else {
      const kind = print.monospaced ? 'code' : 'paragraph'
      blocks.push({ open: { kind, box: print, lines: [print.words] }, prints: [print], markerX: print.x0 })
    }
  }
  return blocks.map((block) => block.open)
}

/** Joins a bullet slightly above its item to it. A numbered item needs no bullet. */
function withLoneBullets(lines: readonly Line[]): Line[] {
  const out: Line[] = []
  for (const line of lines) {
    const [bullet] = out.at(-1) ?? []
    const [first] = line
    const isItem = bullet !== undefined && first !== undefined && isLoneBullet(out.at(-1) ?? []) && first.x0 > bullet.x1
    if (isItem && first.y0 - bullet.y1 < first.y1 - first.y0)
      out.splice(-1, 1, markedLine(line, true) === null ? [bullet, ...line] : line)
    else out.push(line)
  }
  return out
}

function printOf(words: Line): Print {
  const letters = words.reduce((sum, word) => sum + word.text.length, 0)
  const share = (test: (word: Line[number]) => boolean): boolean =>
    words.filter(test).reduce((sum, word) => sum + word.text.length, 0) >= 0.8 * letters
  return {
    ...union(words),
    words,
    size: sizeOf(words),
    weight: Math.max(
      0,
      ...[...new Set(words.map((word) => word.weight))].filter((weight) => share((word) => word.weight >= weight)),
    ),
    monospaced: share((word) => word.monospaced),
    recognised: share((word) => word.confidence !== null),
  }
}

function columnOf(prints: readonly Print[]): Column {
  const rights = prints.map((print) => print.x1).sort((a, b) => a - b)
  return {
    left: Math.min(...prints.map((print) => print.x0)),
    right: rights[Math.floor(rights.length * 0.9)] ?? 0,
    pitchOf: pitchesOf(prints),
    lines: prints.length,
  }
}

/** Returns a pitch for each glyph size. Notes below a column have a smaller pitch than its text. */
function pitchesOf(prints: readonly Print[]): Column['pitchOf'] {
  const steps = prints.slice(1).flatMap((print, index) => {
    const above = prints[index] ?? print
    const pitch = middleY(print) - middleY(above)
    return pitch > 0 && pitch < 2.6 * above.size ? [{ pitch, size: print.size, alike: isSize(above, print.size) }] : []
  })
  const usual = lowerMiddle(steps.map((step) => step.pitch))
  const size = median(prints.map((print) => print.size))
  return (own) => {
    const alike = steps.filter((step) => step.alike && isSize(step, own))
    if (alike.length >= MIN_PITCHES) return Math.max(own, lowerMiddle(alike.map((step) => step.pitch)))
    const pitch = steps.length < MIN_PITCHES ? 1.35 * size : Math.max(size, usual)
    return Math.max(pitch, own > LARGE * size ? LARGE_PITCH * own : own)
  }
}

const MIN_PITCHES = 3
/** Threshold: ratio of a title's glyph size to the column's, and the pitch of its lines in font sizes. */
const LARGE = 1.2
const LARGE_PITCH = 1.15

/**
 * Threshold of the relative size difference. Below it, sizes are equal. Below the second, they are equal in any font.
 */
const ALIKE = 0.08
const HARDLY = 0.04

function isSize(line: { readonly size: number }, size: number, tolerance = ALIKE): boolean {
  return Math.abs(line.size - size) < tolerance * size
}

/**
 * Returns the 40th percentile. The list also contains gaps between paragraphs, so the usual value is below the median.
 */
function lowerMiddle(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b)
  return sorted[Math.floor(sorted.length * 0.4)] ?? 0
}

/** True if a list item can start at `below`: after an item, the end of a sentence, or a gap. */
function startsItem(below: Print, above: Print, column: Column): boolean {
  if (markedLine(above.words, true) !== null || below.x0 > above.x0 + below.size) return true
  return (
    /[.:;!?,)]$/.test(above.words.at(-1)?.text ?? '') ||
    isApart(above, below, column) ||
    endsEarly(above, below, column)
  )
}

/** Returns the number of lists further to the left in the run of items before this one. */
function depthOf(print: Print, blocks: readonly { readonly open: Open; readonly markerX: number }[]): number {
  let depth = 0
  let edge = print.x0
  for (const block of [...blocks].reverse()) {
    if (block.open.kind !== 'list_item') break
    if (block.markerX < edge - print.size * 0.7) {
      depth += 1
      edge = block.markerX
    }
  }
  return Math.min(depth, 5)
}

/** True if the paragraph `open`, with the last line `above`, ends before `below`. */
function breaks(open: readonly Print[], above: Print, below: Print, column: Column): boolean {
  const isSure = above.words.length >= WORDS_OF_LINE && below.words.length >= WORDS_OF_LINE
  const tolerance = !below.recognised ? 0.12 : isSure ? 0.2 : 0.28
  if (Math.abs(above.size - below.size) > tolerance * Math.max(above.size, below.size)) return true
  if (above.monospaced !== below.monospaced) return true
  if (isApart(above, below, column)) return true
  if (above.monospaced) return false
  if (Math.abs(above.weight - below.weight) >= OTHER_WEIGHT) {
    return endsEarly(above, below, column) || (!below.recognised && !isSize(above, below.size, HARDLY))
  }
  if (isContentsEntry(above)) return true
  const centred = Math.abs(middleX(above) - middleX(below)) < below.size && Math.abs(above.x0 - below.x0) > below.size
  if (centred) return false
  const [first] = open
  const hanging = open.length >= 2 && first !== undefined && above.x0 > first.x0 + 0.8 * below.size
  if (hanging && Math.abs(below.x0 - first.x0) < 0.5 * below.size) return true
  const indented = below.x0 > above.x0 + 0.8 * below.size && below.x0 < above.x0 + 6 * below.size
  if (indented && open.length >= 2) return true
  if (indented && above.x0 < column.left + 0.5 * below.size && endsSentence(above)) return true
  return (
    endsEarly(above, below, column) && (endsSentence(above) || /^[\p{Lu}\d"“'‘(]/u.test(below.words[0]?.text ?? ''))
  )
}

function isApart(above: Print, below: Print, column: Column): boolean {
  // Text may have a large pitch. A full line before a lower-case letter does not end a paragraph.
  const goesOn = /^\p{Ll}/u.test(below.words[0]?.text ?? '') && !endsSentence(above) && !endsEarly(above, below, column)
  if (goesOn && middleY(below) - middleY(above) < 2.3 * below.size) return false
  const pitch = Math.min(column.pitchOf(below.size), 2.4 * below.size)
  return middleY(below) - middleY(above) > 1.28 * pitch + (below.recognised ? 2 : 0.5)
}

function endsSentence(print: Print): boolean {
  return /[.!?:;]["”'’)\]]?$/.test(print.words.at(-1)?.text ?? '')
}

/** Matches a line of a table of contents with leader dots before a page number. */
function isContentsEntry({ words }: Print): boolean {
  return /(?:\.{4,}|…{2,}|(?:\. ?){5,})\s*\d{1,4}$/.test(words.map((word) => word.text).join(' '))
}

/** True if the next word would fit, so that the line break is deliberate. */
function endsEarly(above: Print, below: Print, column: Column): boolean {
  const [next] = below.words
  if (next === undefined || column.lines < 3) return false
  return column.right - above.x1 > next.x1 - next.x0 + 2 * below.size
}
