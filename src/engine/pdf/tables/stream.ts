import { gaps, type Interval, shared, union } from '../layout/box.ts'
import { type Row, type Segment, segmentOf, wordsIn } from '../layout/rows.ts'
import type { Ruling, Rulings } from '../layout/rulings.ts'
import type { Word } from '../layout/words.ts'
import { type Cell, cellText, isValue, type TableGrid, withoutEmpty } from './grid.ts'
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
/** Share of the lines that may run across a gap between columns: headings over several of them. */
const CROSSING = 0.12

/** Tables without a drawn grid: lines whose words leave the same gaps free. In the order of the rows. */
export function streamTables(rows: readonly Row[], rulings: Rulings): StreamTable[] {
  const found: StreamTable[] = []
  let at = 0
  while (at < rows.length) {
    const to = endOfRun(rows, at)
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

const isMulti = (row: Row | undefined): boolean => (row?.segments.length ?? 0) >= 2

/** The end of the run of table-like rows that starts at `from`; `from` itself when none does. */
function endOfRun(rows: readonly Row[], from: number): number {
  if (!isMulti(rows[from])) return from
  let to = from + 1
  for (let at = from + 1, singles = 0; at < rows.length; at += 1) {
    const [before, row] = [rows[at - 1], rows[at]]
    if (before === undefined || row === undefined) break
    const height = Math.max(before.y1 - before.y0, row.y1 - row.y0)
    if (row.y0 - before.y1 > MOST_GAP * height) break
    singles = isMulti(row) ? 0 : singles + 1
    if (singles > MOST_SINGLE_ROWS) break
    if (singles === 0) to = at + 1
  }
  return to
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
  const cells = lines.map((row) => ({ cells: cellsOf(row, columns), y0: row.y0, y1: row.y1 }))
  if (
    !isTable(
      cells.map((line) => line.cells),
      rules,
    )
  )
    return null
  const end = withTrailing(rows, to, rules, box.x1 - box.x0)
  const trailing = rows.slice(to, end).map((row) => ({ cells: cellsOf(row, columns), y0: row.y0, y1: row.y1 }))
  const grid = withoutEmpty(tableRows([...cells, ...trailing], rulings))
  if (grid.length < 2 || (grid[0]?.length ?? 0) < 2) return null
  return { table: { kind: 'table', box: union(rows.slice(from, end)), rows: grid }, from, to: end }
}

/** A last label without values still belongs to the table when the closing rule stands below it. */
function withTrailing(rows: readonly Row[], to: number, rules: readonly Ruling[], width: number): number {
  const [last, next] = [rows[to - 1], rows[to]]
  if (last === undefined || next === undefined) return to
  const closing = rules.some((rule) => rule.at > next.y1 - 3)
  const opened = rules.some((rule) => rule.at > last.y1 - 2 && rule.at < next.y0 + 3)
  return closing && !opened && next.x1 - next.x0 < width * 0.6 ? to + 1 : to
}

/** Columns from the gaps that (nearly) all lines with several segments leave free. */
function columnsOf(lines: readonly Row[]): Interval[] {
  const multi = lines.filter(isMulti)
  const size = Math.min(...multi.flatMap((row) => wordsIn(row).map((word) => word.size)))
  const within = { start: Math.min(...multi.map((row) => row.x0)), end: Math.max(...multi.map((row) => row.x1)) }
  const allowed = multi.length >= 6 ? Math.floor(multi.length * CROSSING) : multi.length >= 4 ? 1 : 0
  const free = leastCrossed(multi, within, allowed).filter((gap) => gap.end - gap.start >= Math.max(3, size * 0.5))
  const edges = [within.start - 1, ...free.map((gap) => (gap.start + gap.end) / 2), within.end + 1]
  return edges.slice(1).map((end, index) => ({ start: edges[index] ?? 0, end }))
}

/**
 * Stretches of the width that no row covers, and those that at most `allowed` rows run right across: titles over several
 * columns. A stretch with the end of a segment in it is a column that is seldom filled, not a gap.
 */
function leastCrossed(rows: readonly Row[], within: Interval, allowed: number): Interval[] {
  const segments = rows.flatMap((row) => row.segments)
  const edges = [...new Set(segments.flatMap((segment) => [segment.x0, segment.x1]))].sort((a, b) => a - b)
  const gapsFound: Interval[] = []
  for (const [index, start] of edges.slice(0, -1).entries()) {
    const end = edges[index + 1] ?? start
    const covering = segments.filter((segment) => segment.x0 < end && segment.x1 > start).length
    const last = gapsFound.at(-1)
    if (covering > allowed) continue
    const whole = last !== undefined && last.end === start
    const widened = whole ? { start: last.start, end } : { start, end }
    if (whole && !hasEndWithin(segments, widened)) gapsFound[gapsFound.length - 1] = widened
    else if (!whole || covering === 0) gapsFound.push({ start, end })
  }
  return gapsFound.filter((gap) => gap.start >= within.start && gap.end <= within.end)
}

function hasEndWithin(segments: readonly Segment[], gap: Interval): boolean {
  return segments.some((segment) => {
    const crosses = segment.x0 < gap.end && segment.x1 > gap.start
    return crosses && (segment.x0 > gap.start || segment.x1 < gap.end)
  })
}

function cellsOf(row: Row, columns: readonly Interval[]): Cell[] {
  const cells = columns.map((): Word[] => [])
  for (const piece of row.segments.flatMap((segment) => cutAt(segment, columns))) {
    const overlaps = columns.map((column) => shared(piece.x0, piece.x1, column.start, column.end))
    const touched = overlaps.findIndex((length) => length > Math.min(6, (piece.x1 - piece.x0) * 0.3))
    cells[touched < 0 ? overlaps.indexOf(Math.max(...overlaps)) : touched]?.push(...piece.words)
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
