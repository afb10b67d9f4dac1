import { type Interval, shared, union } from '../geometry/box.ts'
import { type Row, type Segment, sizeOf, wordsIn } from '../geometry/rows.ts'
import type { Ruling, Rulings } from '../geometry/rulings.ts'
import { bandedTable, fillsColumns, leadingOf } from './banded.ts'
import { cellsOf, columnsOf } from './columns.ts'
import { cellText, isValue, type TableGrid, withoutEmpty } from './grid.ts'
import { isKeyValues, keyValueRows } from './key-values.ts'
import { isLabel, tableLine, type TableLine } from './stacked-rows.ts'
import { tableRows } from './table-rows.ts'

/** Rows of the region in this table: from `from` up to `to`, exclusive. */
export interface StreamTable {
  readonly table: TableGrid
  readonly from: number
  readonly to: number
}

/** Threshold: number of single-cell lines between lines of several cells. More end a table. */
const MAX_SINGLE_ROWS = 3
/** Threshold in line heights. A larger gap between lines ends a table. */
const MAX_GAP = 2.2
/** The same threshold if a rule is in the gap, as under column titles. */
const MAX_GAP_RULED = 3.5
/** Threshold: ratio of glyph sizes. A line above it starts new content. */
const LARGER = 1.12
const MOSTLY_FILLED = 0.42
/** Finds tables without a drawn grid, whose lines share the same gaps, in row order. */
export function streamTables(rows: readonly Row[], rulings: Rulings): StreamTable[] {
  const found: StreamTable[] = []
  const leading = leadingOf(rows)
  let at = 0
  while (at < rows.length) {
    const to = endOfRun(rows, at, rulings)
    const byLines = to - at >= 2 ? tableOf(rows, at, to, rulings) : null
    const byBands = bandedWithin(
      rows,
      { from: at, to: byLines === null ? Math.max(to, at + 1) : at + 1, leading },
      rulings,
    )
    const table = byBands !== null && holdsMore(byBands, byLines) ? byBands : byLines
    if (table === null) {
      at = Math.max(to, at + 1)
    } else {
      found.push(table)
      at = table.to
    }
  }
  return found
}

/** True if a banded table contains all lines and columns of another. */
function holdsMore(banded: StreamTable, other: StreamTable | null): boolean {
  if (other === null) return true
  const width = ({ table }: StreamTable): number => table.rows[0]?.length ?? 0
  return banded.to >= other.to && width(banded) >= width(other)
}

/** Returns the first banded table that starts on one of these lines. List items precede some tables. */
function bandedWithin(
  rows: readonly Row[],
  { from, to, leading }: { readonly from: number; readonly to: number; readonly leading: number },
  rulings: Rulings,
): StreamTable | null {
  for (let at = from; at < to; at += 1) {
    const found = bandedTable(rows, at, leading)
    if (found === null || !isTable(found.lines, rulesBeside(rows.slice(found.from, found.to), rulings))) continue
    const grid = withoutEmpty(found.cells)
    return { table: { kind: 'table', box: union(grid.flat(2)), rows: grid }, from: found.from, to: found.to }
  }
  return null
}

/** Threshold in characters. A longer segment is a sentence, not a cell. */
const LONGEST_CELL = 90

function isMulti(row: Row | undefined): boolean {
  return (
    row !== undefined && row.segments.length >= 2 && row.segments.every((segment) => lengthOf(segment) <= LONGEST_CELL)
  )
}

/** Returns the end of the run of table-like rows from `from`, or `from` itself without one. */
function endOfRun(rows: readonly Row[], from: number, rulings: Rulings): number {
  if (!isMulti(rows[from])) return from
  let to = from + 1
  for (let at = from + 1, singles = 0; at < rows.length; at += 1) {
    const [before, row] = [rows[at - 1], rows[at]]
    if (before === undefined || row === undefined) break
    const height = Math.max(before.y1 - before.y0, row.y1 - row.y0)
    const ruled = rulings.horizontal.some(
      (rule) => rule.at > before.y1 - 2 && rule.at < row.y0 + 2 && rule.end > row.x0 && rule.start < row.x1,
    )
    if (row.y0 - before.y1 > (ruled ? MAX_GAP_RULED : MAX_GAP) * height) break
    if (isMulti(row) && beginsOther(rows.slice(from, at), row)) break
    if (isMulti(row)) singles = 0
    else if (sizeOf(wordsIn(row)) > LARGER * sizeOf(wordsIn(before))) break
    // The next line of a cell starts under its first line. A line with another start may be text after the table.
    else if (!continuesCell(row, rows.slice(from, at))) singles += 1
    if (singles > MAX_SINGLE_ROWS) break
    if (singles === 0) to = at + 1
  }
  return to
}

/**
 * Threshold: number of rows. A table with at least this many ends at a gap larger than its row gaps by
 * `OTHER_TABLE_GAP`.
 */
const MIN_ROWS = 3
const OTHER_TABLE_GAP = 1.2
const ALIGNED_POINTS = 4

/** True if a row has a larger gap than the rows above, with its cells at other positions. */
function beginsOther(above: readonly Row[], row: Row): boolean {
  const last = above.at(-1)
  if (above.length < MIN_ROWS || last === undefined) return false
  const pitches = above.slice(1).map((other, index) => other.y0 - (above[index]?.y0 ?? 0))
  if (row.y0 - last.y0 < OTHER_TABLE_GAP * Math.max(...pitches)) return false
  const edges = above.flatMap(({ segments }) => segments.flatMap(({ x0, x1 }) => [x0, x1]))
  const isAligned = ({ x0, x1 }: Segment): boolean =>
    edges.some((edge) => Math.abs(edge - x0) < ALIGNED_POINTS || Math.abs(edge - x1) < ALIGNED_POINTS)
  return row.segments.filter(isAligned).length <= row.segments.length / 2
}

function continuesCell(row: Row, above: readonly Row[]): boolean {
  const [only] = row.segments
  if (only === undefined || row.segments.length !== 1) return false
  const heads = above.filter(isMulti).flatMap((other) => other.segments.slice(1))
  return heads.some((head) => Math.abs(head.x0 - only.x0) < 3 && lengthOf(only) <= 2 * lengthOf(head) + 10)
}

function lengthOf(segment: Segment): number {
  return segment.words.reduce((sum, word) => sum + word.text.length + 1, -1)
}

function tableOf(rows: readonly Row[], from: number, to: number, rulings: Rulings): StreamTable | null {
  const lines = rows.slice(from, to)
  const rules = rulesBeside(lines, rulings)
  const columns = columnsOf(lines.filter(isMulti))
  if (columns.length < 2) return null
  const cells = lines.map((row) => tableLine(row, cellsOf(row, columns)))
  if (!isTable(cells, rules)) return null
  const end = withTrailing(rows, from, to, rules, columns)
  const trailing = rows.slice(to, end).map((row) => tableLine(row, cellsOf(row, columns)))
  const all = [...cells, ...trailing]
  const grid = withoutEmpty(rules.length < 2 && isKeyValues(cells) ? keyValueRows(all) : tableRows(all, rulings))
  if (grid.length < 2 || (grid[0]?.length ?? 0) < 2) return null
  // Labels of a drawing are scattered. Most cells of a table are filled.
  const filled = grid.flat().filter((cell) => cell.length > 0).length
  if (rules.length < 2 && filled < grid.flat().length * MOSTLY_FILLED) return null
  return { table: { kind: 'table', box: union(rows.slice(from, end)), rows: grid }, from, to: end }
}

/** Returns the rules through the lines, and just above and below them. */
function rulesBeside(lines: readonly Row[], rulings: Rulings): Ruling[] {
  const box = union(lines)
  return rulings.horizontal.filter(
    (rule) =>
      shared(rule.start, rule.end, box.x0, box.x1) > 0.6 * (box.x1 - box.x0) &&
      rule.at > box.y0 - 14 &&
      rule.at < box.y1 + 14,
  )
}

/** Adds a last label without values if its gap is as small as the rows', or if a closing rule follows. */
function withTrailing(
  rows: readonly Row[],
  from: number,
  to: number,
  rules: readonly Ruling[],
  columns: readonly Interval[],
): number {
  const [last, next, after] = [rows[to - 1], rows[to], rows[to + 1]]
  const [label] = columns
  if (last === undefined || next === undefined || label === undefined || next.x1 > label.end) return to
  if (rules.some((rule) => rule.at > last.y1 - 2 && rule.at < next.y0 + 3)) return to
  if (rules.some((rule) => rule.at > next.y1 - 3 && rule.at < next.y1 + 14)) return to + 1
  const pitches = rows.slice(from + 1, to).map((row, index) => row.y0 - (rows[from + index]?.y0 ?? 0))
  const tight = next.y0 - last.y0 <= Math.min(...pitches.filter((pitch) => pitch > 2)) * 1.08
  const apart = after === undefined || after.y0 - next.y0 > (next.y0 - last.y0) * 1.15
  return tight && apart ? to + 1 : to
}

/** Threshold: fraction of lines with a label and a colon in a form without rules. */
const MOSTLY_LABELS = 0.7
const MIN_TITLES = 4
/** Threshold: number of columns. From there on, a line whose only cell is not the first continues that cell. */
const WIDE = 3
/** Threshold: fraction of multi-cell lines that fill each column of a wide table. */
const FILLED = 0.5

/** Matches column titles over one row, most of it values. This is the shortest table. */
function isTitledRow([titles = [], row = []]: readonly (readonly string[])[]): boolean {
  return (
    titles.length >= MIN_TITLES &&
    titles.every((text) => text !== '' && !isValue(text)) &&
    row.every((text) => text !== '') &&
    row.filter(isValue).length >= row.length / 2
  )
}

const LIST_MARKER = /^(?:[•▪◦●○■□‣∙*·–—-]|\(?(?:\d{1,3}|[a-z]|[ivxlc]+)[.)]|\[\d+\])$/i

/** Separates a table from a list, numbered formulas, a table of contents and text with chance alignment. */
function isTable(lines: readonly TableLine[], rules: readonly Ruling[]): boolean {
  const texts = lines.map(({ cells }) => cells.map(cellText))
  const multi = texts.filter((cells) => cells.filter((text) => text !== '').length >= 2)
  const share = (test: (cells: readonly string[]) => boolean): number => multi.filter(test).length / multi.length
  // In a table with filled columns, continuation lines of long cells do not count, in any number.
  const across = lines.filter(({ cells }) => cells.filter((cell) => cell.length > 0).length >= 2)
  const isWide =
    (texts[0]?.length ?? 0) >= WIDE &&
    fillsColumns(
      across.map(({ cells }) => cells),
      FILLED,
    )
  const begun = texts.filter((cells) => !isWide || cells[0] !== '' || cells.filter(Boolean).length !== 1)
  if (multi.length < 2 || multi.length < begun.length * 0.4) return false
  if (share((cells) => LIST_MARKER.test(cells.find((text) => text !== '') ?? '')) > 0.6) return false
  if (share((cells) => /^\(?\d+(?:\.\d+)*[a-z]?\)$/.test(cells.at(-1) ?? '')) > 0.5) return false
  if (share((cells) => cells.some((text) => /\.{4,}|(?:\. ){4,}/.test(text))) > 0.4) return false
  const values = share((cells) => cells.slice(1).some(isValue))
  if (rules.length >= 2) return multi.length >= 2
  if (multi.length < 3) return isTitledRow(multi)
  if (share((cells) => isLabel(cells.find((text) => text !== '') ?? '')) >= MOSTLY_LABELS) return true
  if (isKeyValues(lines)) return true
  return values >= 0.5 || (texts[0]?.length ?? 0) >= 3
}
