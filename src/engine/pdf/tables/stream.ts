import { gaps, type Interval, shared, union } from '../layout/box.ts'
import { type Row, type Segment, segmentOf, sizeOf, wordsIn } from '../layout/rows.ts'
import type { Ruling, Rulings } from '../layout/rulings.ts'
import type { Word } from '../layout/words.ts'
import { type Cell, cellText, isValue, type TableGrid, withoutEmpty } from './grid.ts'
import { tableLine } from './stacked-rows.ts'
import { tableRows } from './table-rows.ts'

/** Rows `from` up to, not with, `to` of a region are this table. */
export interface StreamTable {
  readonly table: TableGrid
  readonly from: number
  readonly to: number
}

/** More lines of one cell than this between two lines of several end a table. */
const MOST_SINGLE_ROWS = 3
/** A gap between lines of more than this many line heights ends a table. */
const MOST_GAP = 2.2
/** The same where a rule is drawn in the gap, as under column titles. */
const MOST_GAP_RULED = 3.5
/** Letters this much larger than the line above's begin something new. */
const LARGER = 1.12
/** A cell over this share of a column's width covers it. */
const COVERS = 0.4
/** Share of the lines that may run across a gap between columns: headings over several of them. */
const CROSSING = 0.12

/** Tables without a drawn grid: lines whose words leave the same gaps free. In the order of the rows. */
export function streamTables(rows: readonly Row[], rulings: Rulings): StreamTable[] {
  const found: StreamTable[] = []
  let at = 0
  while (at < rows.length) {
    const to = endOfRun(rows, at, rulings)
    const table = to - at >= 2 ? tableOf(rows, at, to, rulings) : null
    if (table === null) {
      at = Math.max(to, at + 1)
    } else {
      found.push(table)
      at = table.to
    }
  }
  return found
}

/** A segment longer than this is a sentence, not a cell. */
const LONGEST_CELL = 90

function isMulti(row: Row | undefined): boolean {
  return (
    row !== undefined && row.segments.length >= 2 && row.segments.every((segment) => lengthOf(segment) <= LONGEST_CELL)
  )
}

/** The end of the run of table-like rows that starts at `from`; `from` itself when none does. */
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
    if (row.y0 - before.y1 > (ruled ? MOST_GAP_RULED : MOST_GAP) * height) break
    if (isMulti(row)) singles = 0
    else if (sizeOf(wordsIn(row)) > LARGER * sizeOf(wordsIn(before))) break
    // The next line of a cell stands under its first one; only what starts elsewhere can be text after the table.
    else if (!continuesCell(row, rows.slice(from, at))) singles += 1
    if (singles > MOST_SINGLE_ROWS) break
    if (singles === 0) to = at + 1
  }
  return to
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
  const box = union(lines)
  const rules = rulings.horizontal.filter(
    (rule) =>
      shared(rule.start, rule.end, box.x0, box.x1) > 0.6 * (box.x1 - box.x0) &&
      rule.at > box.y0 - 14 &&
      rule.at < box.y1 + 14,
  )
  const columns = columnsOf(lines)
  if (columns.length < 2) return null
  const cells = lines.map((row) => tableLine(row, cellsOf(row, columns)))
  if (
    !isTable(
      cells.map((line) => line.cells),
      rules,
    )
  )
    return null
  const end = withTrailing(rows, from, to, rules, columns)
  const trailing = rows.slice(to, end).map((row) => tableLine(row, cellsOf(row, columns)))
  const grid = withoutEmpty(tableRows([...cells, ...trailing], rulings))
  if (grid.length < 2 || (grid[0]?.length ?? 0) < 2) return null
  return { table: { kind: 'table', box: union(rows.slice(from, end)), rows: grid }, from, to: end }
}

/** A last label without values belongs to the table when it is set as tightly as its rows, or a closing rule follows. */
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

/** Columns from the gaps that (nearly) all lines with several segments leave free. */
function columnsOf(lines: readonly Row[]): Interval[] {
  const multi = lines.filter(isMulti)
  const size = Math.min(...multi.flatMap((row) => wordsIn(row).map((word) => word.size)))
  const within = { start: Math.min(...multi.map((row) => row.x0)), end: Math.max(...multi.map((row) => row.x1)) }
  const allowed = multi.length >= 6 ? Math.floor(multi.length * CROSSING) : multi.length >= 4 ? 1 : 0
  // The more rows leave a gap free, the narrower it may be: chance does not align many spaces.
  const least = size * (multi.length >= 8 ? 0.45 : multi.length >= 4 ? 0.65 : 0.9)
  const pieces = multi.map((row) => piecesOf(row, least))
  const free = leastCrossed(pieces, within, allowed).filter((gap) => gap.end - gap.start >= Math.max(3, least))
  const edges = [within.start - 1, ...free.map((gap) => (gap.start + gap.end) / 2), within.end + 1]
  const columns = edges.slice(1).map((end, index) => ({ start: edges[index] ?? 0, end }))
  return withoutSparse(columns, pieces)
}

/** Pieces of a row with gaps of at least `least` points between them. */
function piecesOf(row: Row, least: number): Interval[] {
  const words = wordsIn(row).sort((a, b) => a.x0 - b.x0)
  const pieces: { start: number; end: number }[] = []
  for (const word of words) {
    const last = pieces.at(-1)
    if (last !== undefined && word.x0 - last.end < least) last.end = Math.max(last.end, word.x1)
    else pieces.push({ start: word.x0, end: word.x1 })
  }
  return pieces
}

/** Two neighbours of which no row fills both are one column whose cells are aligned in two ways. */
function withoutSparse(columns: readonly Interval[], rows: readonly (readonly Interval[])[]): Interval[] {
  const homes = rows.map((row) => new Set(row.map((piece) => homeOf(piece, columns))))
  const out: { start: number; end: number; filled: number[] }[] = []
  for (const [index, column] of columns.entries()) {
    const filled = homes.flatMap((home, row) => (home.has(index) ? [row] : []))
    const last = out.at(-1)
    const few = Math.min(last?.filled.length ?? 0, filled.length) <= rows.length * 0.3
    if (last !== undefined && few && !filled.some((row) => last.filled.includes(row))) {
      last.end = column.end
      last.filled.push(...filled)
    } else {
      out.push({ ...column, filled })
    }
  }
  return out
}

/** The column that a piece shares most of its width with. */
function homeOf(piece: Interval, columns: readonly Interval[]): number {
  const overlaps = columns.map((column) => shared(piece.start, piece.end, column.start, column.end))
  return overlaps.indexOf(Math.max(...overlaps))
}

/**
 * Stretches of the width that no row covers, and those that at most `allowed` rows run right across: titles over several
 * columns. A stretch with the end of a segment in it is a column that is seldom filled, not a gap.
 */
function leastCrossed(rows: readonly (readonly Interval[])[], within: Interval, allowed: number): Interval[] {
  const pieces = rows.flat()
  const edges = [...new Set(pieces.flatMap((piece) => [piece.start, piece.end]))].sort((a, b) => a - b)
  const gapsFound: Interval[] = []
  for (const [index, start] of edges.slice(0, -1).entries()) {
    const end = edges[index + 1] ?? start
    const covering = pieces.filter((piece) => piece.start < end && piece.end > start).length
    const last = gapsFound.at(-1)
    if (covering > allowed) continue
    const whole = last !== undefined && last.end === start
    const widened = whole ? { start: last.start, end } : { start, end }
    if (whole && !hasEndWithin(pieces, widened)) gapsFound[gapsFound.length - 1] = widened
    else if (!whole || covering === 0) gapsFound.push({ start, end })
  }
  return gapsFound.filter((gap) => gap.start >= within.start && gap.end <= within.end)
}

function hasEndWithin(pieces: readonly Interval[], gap: Interval): boolean {
  return pieces.some((piece) => {
    const crosses = piece.start < gap.end && piece.end > gap.start
    return crosses && (piece.start > gap.start || piece.end < gap.end)
  })
}

function cellsOf(row: Row, columns: readonly Interval[]): Cell[] {
  const cells = columns.map((): Word[] => [])
  for (const piece of row.segments.flatMap((segment) => cutAt(segment, columns))) {
    const place = { start: piece.x0, end: piece.x1 }
    const covered = columns.flatMap((column, index) =>
      shared(place.start, place.end, column.start, column.end) >= COVERS * (column.end - column.start) ? [index] : [],
    )
    // A title over several columns stands in the first of them.
    const home = covered.length >= 2 ? (covered[0] ?? 0) : homeOf(place, columns)
    cells[home]?.push(...piece.words)
  }
  return cells
}

/** A segment that holds a wide gap at a column's edge is two cells that stand near each other. */
function cutAt(segment: Segment, columns: readonly Interval[]): Segment[] {
  const edges = columns.slice(1).map((column) => column.start)
  const cut = edges.find((edge) => {
    if (edge <= segment.x0 || edge >= segment.x1) return false
    const [gap] = gaps(
      { start: edge - 1, end: edge + 1 },
      segment.words.map((word) => ({ start: word.x0, end: word.x1 })),
    )
    const size = segment.words[0]?.size ?? 10
    const before = Math.max(...segment.words.filter((word) => word.x1 <= edge + 1).map((word) => word.x1))
    const after = Math.min(...segment.words.filter((word) => word.x0 >= edge - 1).map((word) => word.x0))
    return gap !== undefined && after - before > size * 0.45
  })
  if (cut === undefined) return [segment]
  const left = segment.words.filter((word) => word.x0 < cut)
  const right = segment.words.filter((word) => word.x0 >= cut)
  return left.length === 0 || right.length === 0 ? [segment] : [segmentOf(left), ...cutAt(segmentOf(right), columns)]
}

const LIST_MARKER = /^(?:[•▪◦●○■□‣∙*·–—-]|\(?(?:\d{1,3}|[a-z]|[ivxlc]+)[.)]|\[\d+\])$/i

/** Tells a table from a list, numbered formulas, a table of contents and text that happens to be aligned. */
function isTable(lines: readonly (readonly Cell[])[], rules: readonly Ruling[]): boolean {
  const texts = lines.map((cells) => cells.map(cellText))
  const multi = texts.filter((cells) => cells.filter((text) => text !== '').length >= 2)
  const share = (test: (cells: readonly string[]) => boolean): number => multi.filter(test).length / multi.length
  if (multi.length < 2 || multi.length < lines.length * 0.4) return false
  if (share((cells) => LIST_MARKER.test(cells.find((text) => text !== '') ?? '')) > 0.6) return false
  if (share((cells) => /^\(?\d+(?:\.\d+)*[a-z]?\)$/.test(cells.at(-1) ?? '')) > 0.5) return false
  if (share((cells) => cells.some((text) => /\.{4,}|(?:\. ){4,}/.test(text))) > 0.4) return false
  const values = share((cells) => cells.slice(1).some(isValue))
  if (rules.length >= 2) return multi.length >= 2
  if (multi.length < 3) return false
  return values >= 0.5 || (texts[0]?.length ?? 0) >= 3
}
