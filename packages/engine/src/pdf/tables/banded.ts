import { shared } from '../geometry/box.ts'
import { type Row, rowOf, rowsOf, type Segment, segmentOf, sizeOf, wordsIn } from '../geometry/rows.ts'
import type { Word } from '../geometry/words.ts'
import { cellsOf, columnsOf } from './columns.ts'
import { type Cell, cellText, isValue } from './grid.ts'
import { tableLine, type TableLine } from './stacked-rows.ts'

/** Lines of print without a wider space between them: a row of a table, wherever in it each cell stands. */
interface Band extends Row {
  /** The lines that it is made of: `from` up to, not with, `to`. */
  readonly from: number
  readonly to: number
  readonly lines: readonly Row[]
}

/** A table whose rows stand apart, and the lines that it is made of. */
export interface BandedTable {
  readonly cells: readonly (readonly Cell[])[]
  /** The rows as lines of print, for what separates a table from other text. */
  readonly lines: readonly TableLine[]
  readonly from: number
  readonly to: number
}

/** Rows stand further apart than the lines of a cell by more than this share of the font size. */
const ROW_GAP = 0.2
/** Space of more than this share of the font size ends a piece of a row. */
const PIECE_GAP = 0.95
/** A gap of more than so many font sizes ends a table. */
const MOST_GAP = 2.2
const MOST_LINES = 12
/** Letters of one table differ by this share of their size at most. */
const SAME_SIZE = 0.12
const FEWEST_BANDS = 3
const FEWEST_COLUMNS = 3
const LEAST_FILLED = 0.75
/** Each column is filled in so many of the rows: a word that happens to stand apart is none. */
const LEAST_IN_COLUMN = 0.6
const BULLET = /^[•▪◦●○■□‣∙·–—-]$/
/** Rows below each other fill their cells from line to line alike: in half of the tall bands a cell has fewer lines. */
const LEAST_RAGGED = 0.5

/**
 * The table of rows with more space between them than `leading`, from line `from` on, whose cells hold several lines and stand at the top, in
 * the middle or at the bottom of their row; null where none begins. Three columns and more: two are separated from text by
 * `streamTables`.
 */
export function bandedTable(rows: readonly Row[], from: number, leading: number): BandedTable | null {
  const bands = bandsFrom(rows, from, leading)
  const [first, last] = [bands[0], bands.at(-1)]
  if (bands.length < FEWEST_BANDS || first === undefined || last === undefined) return null
  if (bands.every(({ lines }) => lines.length === 1)) return null
  const columns = columnsOf(bands)
  if (columns.length < FEWEST_COLUMNS) return null
  const cells = bands.map((band) => cellsOf(band, columns).map(inLines))
  const filled = cells.flat().filter((cell) => cell.length > 0).length
  if (filled < LEAST_FILLED * cells.flat().length || !fillsColumns(cells, LEAST_IN_COLUMN)) return null
  if (cells.some((row) => row.some((cell) => holdsValues(cell) || isInterrupted(cell, leading)))) return null
  // Titles of two lines are one row, however evenly they fill them.
  const tall = bands.slice(1).flatMap(({ lines }, index) => (lines.length > 1 ? [cells[index + 1] ?? []] : []))
  if (tall.filter(isRagged).length < LEAST_RAGGED * tall.length) return null
  const lines = bands.map((band, index) => tableLine(band, cells[index] ?? []))
  return { cells, lines, from: first.from, to: last.to }
}

/** Whether each column is filled in this share of the rows. */
export function fillsColumns(rows: readonly (readonly Cell[])[], share: number): boolean {
  const columns = rows[0] ?? []
  return columns.every((_, column) => {
    const filled = rows.filter((row) => (row[column]?.length ?? 0) > 0)
    return filled.length >= share * rows.length
  })
}

/** Bands of several pieces that follow each other, from line `from` on. */
function bandsFrom(rows: readonly Row[], from: number, leading: number): Band[] {
  const bands: Band[] = []
  for (let at = from; at < rows.length;) {
    const band = bandAt(rows, at, leading)
    const before = bands.at(-1)
    const isNear = before === undefined || band.y0 - before.y1 <= MOST_GAP * sizeOf(wordsIn(band))
    if (!isNear || band.segments.length < 2 || band.lines.length > MOST_LINES || band.lines.some(isItem)) break
    bands.push(band)
    at = band.to
  }
  return bands
}

/** Share of the spaces below lines that are no wider than that between lines of a paragraph or a cell. */
const LEADING_RANK = 0.25
/** The next line of a cell is at most the fourth, where cells beside it stand half a line higher. */
const NEXT_LINES = 4

/** Space between the lines of paragraphs and cells, in points, as these lines show it: from a line to the next one below it. */
export function leadingOf(rows: readonly Row[]): number {
  const spaces = rows.flatMap((row, index) => {
    const below = rows.slice(index + 1, index + 1 + NEXT_LINES).find((next) => isBelow(next, row))
    return below === undefined ? [] : [Math.max(0, below.y0 - row.y1)]
  })
  return spaces.toSorted((a, b) => a - b)[Math.floor(spaces.length * LEADING_RANK)] ?? 0
}

const isBelow = (next: Row, row: Row): boolean =>
  next.segments.some((lower) => row.segments.some((upper) => shared(lower.x0, lower.x1, upper.x0, upper.x1) > 0))

/** An item of a list, whose marker stands apart. */
const isItem = ({ segments: [marker] }: Row): boolean =>
  marker?.words.length === 1 && BULLET.test(marker.words[0]?.text ?? '')

const BOLD = 600
const isBold = ({ weight }: Word): boolean => weight >= BOLD

/** Whether a line is a heading above the one that follows it: bold as a whole, above print that is not. */
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
  while (goesOn(rows[to]) && !isHeading(rows[to - 1], rows[to]) && to - from <= MOST_LINES) {
    end = Math.max(end, rows[to]?.y1 ?? 0)
    to += 1
  }
  const lines = rows.slice(from, to)
  return { ...rowOf(piecesOf(lines.flatMap(wordsIn))), from, to, lines }
}

/** Words of all lines of a band as pieces that leave space beside each other. */
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

/** Whether a cell leaves a line free: it is cells of several rows. */
function isInterrupted(cell: Cell, leading: number): boolean {
  const lines = rowsOf(cell)
  return lines.some((line, index) => {
    const before = lines[index - 1]
    return before !== undefined && line.y0 - before.y1 > leading + ROW_GAP * sizeOf(cell)
  })
}

/** Values on several lines are cells of several rows. */
const holdsValues = (cell: Cell): boolean => rowsOf(cell).filter((row) => isValue(cellText(wordsIn(row)))).length > 1

function isRagged(row: readonly Cell[]): boolean {
  const heights = row.filter((cell) => cell.length > 0).map((cell) => rowsOf(cell).length)
  return heights.length > 1 && Math.min(...heights) < Math.max(...heights)
}
