import { gaps, intersections, type Interval, median, middleX } from '../geometry/box.ts'
import { widthOf } from '../geometry/ideographs.ts'
import { markedLine } from './list-marker.ts'
import { type Row, rowOf, rowsOf, type Segment, wordsIn } from '../geometry/rows.ts'

/** Threshold in points: minimum gap between columns. */
const GUTTER_POINTS = 7
/** Thresholds for a column of prose: minimum characters per line, filled fraction of the width, fraction of letters. */
const PROSE_CHARACTERS = 16
const PROSE_FILL = 0.5
const PROSE_LETTERS = 0.62
const PROSE_LINES = 3
const WHOLE_LINES = 0.5
/** Thresholds for a column of list items: minimum number, and fraction of its lines. */
const LIST_ITEMS = 2
const LISTED = 0.6
/** Threshold: number of rows of short cells across a gutter that form a table over both sides. */
const TABLE_ROWS = 3
const TABLE_CELLS = 3
/** Limits the search. Pages have few columns, tables have many gaps, and all their combinations take too long. */
const MAX_CUTS = 3
const MAX_GUTTERS = 6
const DIVIDED = 0.8
/** Threshold: fraction of the width. Wider free space next to a line may be a column. */
const FREE_MARGIN = 0.25

/**
 * Splits a page into columns, in reading order. Rows with a common gutter read column by column, and a row across the
 * complete width ends such a run. Cells of a table have gaps too, but are not prose and remain together.
 */
export function regionsOf(rows: readonly Row[]): Row[][] {
  const regions: Row[][] = []
  let flat: Row[] = []
  for (const stretch of runsWithCommonGap(rows)) {
    const gutter = gutterOf(stretch)
    if (gutter === null) {
      flat.push(...stretch)
      continue
    }
    const table = tableAcross(stretch, gutter)
    if (table !== null) {
      const [above, below] = [regionsOf([...flat, ...stretch.slice(0, table.from)]), regionsOf(stretch.slice(table.to))]
      regions.push(...above, stretch.slice(table.from, table.to), ...below)
      flat = []
      continue
    }
    const from = flat.length - trailingColumnRows(flat, gutter)
    const sides = sidesOf([...flat.slice(from), ...stretch], gutter)
    regions.push(flat.slice(0, from), ...sides.map(ownLines).flatMap(regionsOf))
    flat = []
  }
  return [...regions, flat].filter((region) => region.length > 0)
}

/**
 * Rebuilds the lines of a column from its words alone. Lines of recognised print have uneven heights, so a word may
 * join a line of the adjacent column.
 */
function ownLines(rows: readonly Row[]): Row[] {
  const words = rows.flatMap(wordsIn)
  if (words.every((word) => word.confidence === null)) return [...rows]
  const tables = rows.flatMap((row) => row.segments.filter((segment) => segment.words.length === 0))
  return [...rowsOf(words), ...tables.map((segment) => rowOf([segment]))].sort((a, b) => a.y0 - b.y0)
}

/**
 * Returns the first rows of cells that continue across a gutter. The columns of a table may leave it free by chance.
 */
function tableAcross(rows: readonly Row[], gutter: Interval): { readonly from: number; readonly to: number } | null {
  const isCells = ({ segments, x0, x1 }: Row): boolean =>
    segments.length >= TABLE_CELLS &&
    x0 < gutter.start &&
    x1 > gutter.end &&
    segments.every(
      ({ words }) => words.length > 0 && widthOf(words.map(({ text }) => text).join(' ')) < PROSE_CHARACTERS,
    )
  for (let from = 0; from < rows.length; from += 1) {
    const length = rows.slice(from).findIndex((row) => !isCells(row))
    const to = length < 0 ? rows.length : from + length
    const isTable = to - from >= TABLE_ROWS && !sidesOf(rows.slice(from, to), gutter).some(isList)
    if (isTable) return { from, to }
    from = to
  }
  return null
}

/** Returns the number of last rows that already share the columns, back to the first that fills both sides. */
function trailingColumnRows(rows: readonly Row[], gutter: Interval): number {
  const crosses = (row: Row): boolean =>
    row.segments.some((segment) => segment.x0 < gutter.end && segment.x1 > gutter.start)
  const free = rows.slice(rows.findLastIndex(crosses) + 1)
  const first = free.findIndex((row) => row.x0 < gutter.start && row.x1 > gutter.end)
  return first < 0 ? 0 : free.length - first
}

/** Returns the longest runs of rows with a common horizontal gap. */
function runsWithCommonGap(rows: readonly Row[]): Row[][] {
  const within = { start: Math.min(...rows.map((row) => row.x0)), end: Math.max(...rows.map((row) => row.x1)) }
  const stretches: Row[][] = []
  let free: readonly Interval[] = []
  for (const row of rows) {
    const own = rowGaps(row, within)
    const common = wideEnough(intersections(free, own))
    if (common.length === 0 || stretches.length === 0) stretches.push([])
    stretches.at(-1)?.push(row)
    free = common.length === 0 ? own : common
  }
  return stretches
}

/** Returns the gaps in a row and the space next to it. The ragged end of a line across the page does not count. */
function rowGaps(row: Row, within: Interval): Interval[] {
  const margin = FREE_MARGIN * (within.end - within.start)
  return wideEnough(gaps(within, intervals(row.segments))).filter(
    (gap) => (gap.start > within.start && gap.end < within.end) || gap.end - gap.start >= margin,
  )
}

/** Returns the widest gutter of a run with prose on both sides, or null. */
function gutterOf(rows: readonly Row[], cuts = MAX_CUTS): Interval | null {
  if (cuts === 0) return null
  const within = { start: Math.min(...rows.map((row) => row.x0)), end: Math.max(...rows.map((row) => row.x1)) }
  const taken = rows.flatMap((row) => intervals(row.segments))
  const widest = wideEnough(gaps(within, taken)).sort((a, b) => b.end - b.start - (a.end - a.start))
  return (
    widest
      .slice(0, MAX_GUTTERS)
      .find((gutter) => sidesOf(rows, gutter).every((part) => isColumn(part) || splitsIntoColumns(part, cuts - 1))) ??
    null
  )
}

/** True if nearly all rows on one side split into columns. A title may cross some. */
function splitsIntoColumns(rows: readonly Row[], cuts: number): boolean {
  if (gutterOf(rows, cuts) !== null) return true
  const divided = runsWithCommonGap(rows).filter(
    (stretch) => stretch.length < rows.length && gutterOf(stretch, cuts) !== null,
  )
  return divided.reduce((sum, stretch) => sum + stretch.length, 0) >= DIVIDED * rows.length
}

/** Splits the rows into those left and right of a gutter. */
function sidesOf(rows: readonly Row[], gutter: Interval): [Row[], Row[]] {
  const middle = (gutter.start + gutter.end) / 2
  return [side(rows, (segment) => middleX(segment) < middle), side(rows, (segment) => middleX(segment) > middle)]
}

function side(rows: readonly Row[], belongs: (segment: Segment) => boolean): Row[] {
  return rows
    .map((row) => row.segments.filter(belongs))
    .filter((segments) => segments.length > 0)
    .map(rowOf)
}

/** True if rows are complete lines of one column of prose. Rows of a table are neither complete nor prose. */
function isColumn(rows: readonly Row[]): boolean {
  const whole = rows.filter(isWhole)
  return whole.length >= rows.length * WHOLE_LINES && (isProse(rows) || isList(rows))
}

/** True for a line, with or without the marker of an item or the number of a question. */
function isWhole({ segments: [first, ...others] }: Row): boolean {
  if (others.length === 0) return true
  const marker = first?.words.length === 1 ? first.words : []
  return (
    others.length === 1 &&
    markedLine([...marker, ...(others[0]?.words ?? [])], true)?.rest.length === others[0]?.words.length
  )
}

/**
 * Detects short consecutive items, most with a marker, such as adjacent lists on slides. Numbers increase from line to
 * line. Otherwise the layout reads across, as for multiple-choice answers.
 */
function isList(rows: readonly Row[]): boolean {
  const lines = rows.map(wordsIn).filter((words) => words.length > 0)
  const markers = lines.flatMap((words) => markedLine(words, true)?.marker ?? [])
  const numbers = markers.map((marker) => Number.parseInt(marker, 10)).filter((number) => !Number.isNaN(number))
  return (
    markers.length >= LIST_ITEMS &&
    markers.length >= lines.length * LISTED &&
    numbers.every((number, index) => index === 0 || number === (numbers[index - 1] ?? 0) + 1)
  )
}

function isProse(rows: readonly Row[]): boolean {
  const written = rows.filter((row) => row.segments.some((segment) => segment.words.length > 0))
  if (written.length < PROSE_LINES) return false
  const texts = written.map((row) =>
    row.segments.flatMap((segment) => segment.words.map((word) => word.text)).join(' '),
  )
  const width = Math.max(...written.map((row) => row.x1)) - Math.min(...written.map((row) => row.x0))
  const all = texts.join('')
  const letters = all.match(/\p{L}/gu)?.length ?? 0
  return (
    median(texts.map(widthOf)) >= PROSE_CHARACTERS &&
    median(written.map((row) => row.x1 - row.x0)) >= PROSE_FILL * width &&
    letters >= PROSE_LETTERS * all.replace(/\s/g, '').length
  )
}

function intervals(segments: readonly Segment[]): Interval[] {
  return segments.map((segment) => ({ start: segment.x0, end: segment.x1 }))
}

function wideEnough(list: readonly Interval[]): Interval[] {
  return list.filter((gap) => gap.end - gap.start >= GUTTER_POINTS)
}
