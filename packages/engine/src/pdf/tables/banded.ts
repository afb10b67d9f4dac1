import { shared } from '../geometry/box.ts'
import { type Row, rowOf, rowsOf, type Segment, segmentOf, sizeOf, wordsIn } from '../geometry/rows.ts'
import type { Word } from '../geometry/words.ts'
import { cellsOf, columnsOf } from './columns.ts'
import { type Cell, cellText, isValue } from './grid.ts'
import { tableLine, type TableLine } from './stacked-rows.ts'

/** Consecutive lines of text without a large vertical gap: one table row, however its cells are aligned. */
interface Band extends Row {
  /** Line range of the band: from `from` up to `to`, exclusive. */
  readonly from: number
  readonly to: number
  readonly lines: readonly Row[]
}

/** A table with gaps between its rows, and its line range. */
export interface BandedTable {
  readonly cells: readonly (readonly Cell[])[]
  /** Rows in the form of printed lines, for the checks that separate a table from other text. */
  readonly lines: readonly TableLine[]
  readonly from: number
  readonly to: number
}

/** Threshold: fraction of the font size. The gap between rows exceeds the gap between lines of a cell by more. */
const ROW_GAP = 0.2
/** Threshold: fraction of the font size. A wider gap ends a piece of a row. */
const PIECE_GAP = 0.95
/** Threshold in font sizes. A larger vertical gap ends a table. */
const MAX_GAP = 2.2
const MAX_LINES = 12
/** Threshold: maximum difference of glyph size in a table, as a fraction. */
const SAME_SIZE = 0.12
const MIN_BANDS = 3
const MIN_COLUMNS = 3
const MIN_FILLED = 0.75
/** Threshold: fraction of rows that fill a column. A word with a chance gap forms no column. */
const MIN_IN_COLUMN = 0.6
const BULLET = /^[•▪◦●○■□‣∙·–—-]$/
/** Threshold: fraction of tall bands with a cell of fewer lines. Separate rows fill all their cells line by line. */
const MIN_RAGGED = 0.5

/**
 * Finds a table from line `from` with gaps between its rows wider than `leading`. Its cells hold several lines, at the
 * top, middle or bottom of their row. Null if no table starts there. The table has three columns or more;
 * `streamTables` handles two.
 */
export function bandedTable(rows: readonly Row[], from: number, leading: number): BandedTable | null {
  const bands = bandsFrom(rows, from, leading)
  const [first, last] = [bands[0], bands.at(-1)]
  if (bands.length < MIN_BANDS || first === undefined || last === undefined) return null
  if (bands.every(({ lines }) => lines.length === 1)) return null
  const columns = columnsOf(bands)
  if (columns.length < MIN_COLUMNS) return null
  const cells = bands.map((band) => cellsOf(band, columns).map(inLines))
  const filled = cells.flat().filter((cell) => cell.length > 0).length
  if (filled < MIN_FILLED * cells.flat().length || !fillsColumns(cells, MIN_IN_COLUMN)) return null
  if (cells.some((row) => row.some((cell) => holdsValues(cell) || isInterrupted(cell, leading)))) return null
  // Column titles of two lines are one row, even with every cell of the same height.
  const tall = bands.slice(1).flatMap(({ lines }, index) => (lines.length > 1 ? [cells[index + 1] ?? []] : []))
  if (tall.filter(isRagged).length < MIN_RAGGED * tall.length) return null
  const lines = bands.map((band, index) => tableLine(band, cells[index] ?? []))
  return { cells, lines, from: first.from, to: last.to }
}

/** True if each column is filled in this fraction of the rows. */
export function fillsColumns(rows: readonly (readonly Cell[])[], share: number): boolean {
  const columns = rows[0] ?? []
  return columns.every((_, column) => {
    const filled = rows.filter((row) => (row[column]?.length ?? 0) > 0)
    return filled.length >= share * rows.length
  })
}

/** Returns consecutive bands of several pieces, from line `from` on. */
function bandsFrom(rows: readonly Row[], from: number, leading: number): Band[] {
  const bands: Band[] = []
  for (let at = from; at < rows.length;) {
    const band = bandAt(rows, at, leading)
    const before = bands.at(-1)
    const isNear = before === undefined || band.y0 - before.y1 <= MAX_GAP * sizeOf(wordsIn(band))
    if (!isNear || band.segments.length < 2 || band.lines.length > MAX_LINES || band.lines.some(isItem)) break
    bands.push(band)
    at = band.to
  }
  return bands
}

/** Percentile rank of the gaps below lines. Gaps up to it are those between lines of a paragraph or a cell. */
const LEADING_RANK = 0.25
/** Search window in lines. The next line of a cell is at most the fourth, if adjacent cells have a half-line offset. */
const NEXT_LINES = 4

/**
 * Returns the usual gap between lines of paragraphs and cells, in points. The gap runs from a line to the next line
 * below it.
 */
export function leadingOf(rows: readonly Row[]): number {
  const spaces = rows.flatMap((row, index) => {
    const below = rows.slice(index + 1, index + 1 + NEXT_LINES).find((next) => isBelow(next, row))
    return below === undefined ? [] : [Math.max(0, below.y0 - row.y1)]
  })
  return spaces.toSorted((a, b) => a - b)[Math.floor(spaces.length * LEADING_RANK)] ?? 0
}

const isBelow = (next: Row, row: Row): boolean =>
  next.segments.some((lower) => row.segments.some((upper) => shared(lower.x0, lower.x1, upper.x0, upper.x1) > 0))

/** A list item with a separate marker. */
const isItem = ({ segments: [marker] }: Row): boolean =>
  marker?.words.length === 1 && BULLET.test(marker.words[0]?.text ?? '')

const BOLD = 600
const isBold = ({ weight }: Word): boolean => weight >= BOLD

/** True if a line is a heading: bold throughout, above print that is not bold. */
function isHeading(row: Row | undefined, next: Row | undefined): boolean {
  if (row === undefined || next === undefined || row.segments.length > 1) return false
  return wordsIn(row).every(isBold) && !wordsIn(next).some(isBold)
}

function bandAt(rows: readonly Row[], from: number, leading: number): Band {
  let to = from + 1
  let end = rows[from]?.y1 ?? 0
  const size = sizeOf(rows.slice(from, to).flatMap(wordsIn))
  const goesOn = (row: Row | undefined): boolean =>
    row !== undefined &&
    row.y0 - end <= leading + ROW_GAP * size &&
    Math.abs(sizeOf(wordsIn(row)) - size) <= SAME_SIZE * size
  while (goesOn(rows[to]) && !isHeading(rows[to - 1], rows[to]) && to - from <= MAX_LINES) {
    end = Math.max(end, rows[to]?.y1 ?? 0)
    to += 1
  }
  const lines = rows.slice(from, to)
  return { ...rowOf(piecesOf(lines.flatMap(wordsIn))), from, to, lines }
}

/** Splits the words of all lines of a band into pieces with gaps between them. */
function piecesOf(words: readonly Word[]): Segment[] {
  const pieces: Word[][] = []
  let end = Number.NEGATIVE_INFINITY
  for (const word of words.toSorted((a, b) => a.x0 - b.x0)) {
    const last = pieces.at(-1)
    if (last === undefined || word.x0 - end > PIECE_GAP * word.size) pieces.push([word])
    else last.push(word)
    end = Math.max(end, word.x1)
  }
  return pieces.map(segmentOf)
}

const inLines = (cell: Cell): Cell => rowsOf(cell).flatMap(wordsIn)

/** True if a cell skips a line. It then holds cells of several rows. */
function isInterrupted(cell: Cell, leading: number): boolean {
  const lines = rowsOf(cell)
  return lines.some((line, index) => {
    const before = lines[index - 1]
    return before !== undefined && line.y0 - before.y1 > leading + ROW_GAP * sizeOf(cell)
  })
}

/** Values on several lines belong to several rows. */
const holdsValues = (cell: Cell): boolean => rowsOf(cell).filter((row) => isValue(cellText(wordsIn(row)))).length > 1

function isRagged(row: readonly Cell[]): boolean {
  const heights = row.filter((cell) => cell.length > 0).map((cell) => rowsOf(cell).length)
  return heights.length > 1 && Math.min(...heights) < Math.max(...heights)
}
