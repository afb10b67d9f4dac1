import type { LayoutBlock, Line, ListItem, TextBlock } from './block.ts'
import { median, middleX, middleY, union, type Box } from '../geometry/box.ts'
import { isLoneBullet, markedLine } from './list-marker.ts'
import { sizeOf } from '../geometry/rows.ts'

/** A printed line with what decides whether the next one belongs to it. */
interface Print extends Box {
  readonly words: Line
  readonly size: number
  /** Four fifths of its letters have this weight at least. */
  readonly weight: number
  readonly monospaced: boolean
  readonly recognised: boolean
}

/** The column that the lines stand in. */
interface Column {
  readonly left: number
  readonly right: number
  /** Distance of the middles of two lines of one paragraph, for letters of a size. */
  readonly pitchOf: (size: number) => number
  readonly lines: number
}

/** Light and medium differ by so much, regular and bold by more. */
const OTHER_WEIGHT = 200

/** So many recognised words of a line are enough for its size. */
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

/** A bullet that stands a little above its item is put in front of it; an item with a number of its own needs none. */
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

/** Lines of one size set a pitch of their own: notes below a column stand closer than its text. */
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
    if (alike.length >= FEWEST_PITCHES) return Math.max(own, lowerMiddle(alike.map((step) => step.pitch)))
    const pitch = steps.length < FEWEST_PITCHES ? 1.35 * size : Math.max(size, usual)
    return Math.max(pitch, own > LARGE * size ? LARGE_PITCH * own : own)
  }
}

const FEWEST_PITCHES = 3
/** Letters so much larger than the column's are a title's, whose lines stand so many sizes apart. */
const LARGE = 1.2
const LARGE_PITCH = 1.15

/** Sizes that differ by less than this share are one; by less than the second, one in any font. */
const ALIKE = 0.08
const HARDLY = 0.04

function isSize(line: { readonly size: number }, size: number, tolerance = ALIKE): boolean {
  return Math.abs(line.size - size) < tolerance * size
}

/** Distances between paragraphs are in the list too, so a value below its middle is the usual one. */
function lowerMiddle(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b)
  return sorted[Math.floor(sorted.length * 0.4)] ?? 0
}

/** Whether a new list item can start at `below`: after an item, an end of a sentence, or a gap. */
function startsItem(below: Print, above: Print, column: Column): boolean {
  if (markedLine(above.words, true) !== null || below.x0 > above.x0 + below.size) return true
  return (
    /[.:;!?,)]$/.test(above.words.at(-1)?.text ?? '') ||
    isApart(above, below, column) ||
    endsEarly(above, below, column)
  )
}

/** How many lists of the run of items before this one stand further to the left. */
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

/** Whether the paragraph `open`, whose last line is `above`, ends before `below`. */
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
  // Text set with wide lines: a full line that goes on with a small letter is not the end of a paragraph.
  const goesOn = /^\p{Ll}/u.test(below.words[0]?.text ?? '') && !endsSentence(above) && !endsEarly(above, below, column)
  if (goesOn && middleY(below) - middleY(above) < 2.3 * below.size) return false
  const pitch = Math.min(column.pitchOf(below.size), 2.4 * below.size)
  return middleY(below) - middleY(above) > 1.28 * pitch + (below.recognised ? 2 : 0.5)
}

function endsSentence(print: Print): boolean {
  return /[.!?:;]["”'’)\]]?$/.test(print.words.at(-1)?.text ?? '')
}

/** A line of a table of contents: dots that lead to a page number. */
function isContentsEntry({ words }: Print): boolean {
  return /(?:\.{4,}|…{2,}|(?:\. ?){5,})\s*\d{1,4}$/.test(words.map((word) => word.text).join(' '))
}

/** The next word would have fitted: the line was ended on purpose. */
function endsEarly(above: Print, below: Print, column: Column): boolean {
  const [next] = below.words
  if (next === undefined || column.lines < 3) return false
  return column.right - above.x1 > next.x1 - next.x0 + 2 * below.size
}
