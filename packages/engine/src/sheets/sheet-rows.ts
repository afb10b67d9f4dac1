import { utils, type CellObject, type WorkSheet } from '@e965/xlsx'
import { ConversionError } from '../conversion.ts'
import { conditionalText, hasConditions } from './conditional-format.ts'
import { asCell, escapeInline } from '../markup/escape-markdown.ts'

/**
 * Threshold: number of cells in the tables of a sheet. Above it the sheet is too large to read, and the converter
 * refuses it.
 */
const MAX_CELLS = 5_000_000
/**
 * Threshold: number of empty columns that split a sheet into tables. Otherwise a cell far to the right would widen each
 * row. Forms have fewer between their columns.
 */
const COLUMN_GAP = 50

/** Returns a cell as the spreadsheet program shows it, with its number format. */
export function shownText(cell: CellObject): string {
  if (cell.t === 'z') return ''
  const text =
    cell.t === 'n' && typeof cell.v === 'number' && typeof cell.z === 'string' && hasConditions(cell.z)
      ? conditionalText(cell.z, cell.v)
      : (cell.w ?? utils.format_cell(cell))
  return asCell(escapeInline(text.trim()))
}

/** Adjacent cells, as Markdown rows of equal width. */
export interface SheetRows {
  readonly texts: readonly (readonly string[])[]
  /** Row index in the sheet, from 0, per row. */
  readonly numbers: readonly number[]
  /** Column index of the first column in the sheet, from 0. */
  readonly left: number
}

/** A row of a sheet with text. The sparse array makes a single cell far to the right cheap. */
interface UsedRow {
  readonly number: number
  readonly texts: readonly string[]
}

/** Returns the used cells as one table or several adjacent ones. The sheet must have been parsed in dense mode. */
export function sheetTables(sheet: WorkSheet): SheetRows[] {
  const tables = dividedByColumns(usedRows(sheet)).map(asTable)
  const cells = tables.reduce((sum, { texts }) => sum + texts.length * (texts[0]?.length ?? 0), 0)
  if (cells > MAX_CELLS) {
    throw new ConversionError('resource_limit', `A sheet of the file spans more than ${MAX_CELLS} cells.`)
  }
  return tables
}

/**
 * Removes cells under merged cells, because a spreadsheet program shows only the first. Merges with more steps than the
 * largest sheet has cells remain unchanged.
 */
function removeCoveredCells(sheet: WorkSheet): void {
  const data = sheet['!data'] ?? []
  let spare = MAX_CELLS
  for (const { s: first, e: last } of sheet['!merges'] ?? []) {
    for (let row = first.r; row <= Math.min(last.r, data.length - 1); row += 1) {
      const cells = data[row] ?? []
      const start = row === first.r ? first.c + 1 : first.c
      const end = Math.min(last.c, cells.length - 1)
      spare -= 1 + Math.max(0, end - start + 1)
      if (spare < 0) return
      for (let column = start; column <= end; column += 1) cells[column] = { t: 'z' }
    }
  }
}

function usedRows(sheet: WorkSheet): UsedRow[] {
  const rows: UsedRow[] = []
  removeCoveredCells(sheet)
  // `forEach` skips the holes of a sparse array.
  sheet['!data']?.forEach((cells, number) => {
    const texts: string[] = []
    cells?.forEach((cell: CellObject | undefined, column) => {
      const text = cell === undefined ? '' : shownText(cell)
      if (text !== '') texts[column] = text
    })
    if (texts.length > 0) rows.push({ number, texts })
  })
  return rows
}

function dividedByColumns(rows: readonly UsedRow[]): (readonly UsedRow[])[] {
  if (rows.length === 0) return []
  const used: boolean[] = []
  for (const { texts } of rows) texts.forEach((_, column) => (used[column] = true))
  const starts: number[] = []
  let last = -Infinity
  used.forEach((_, column) => {
    if (column - last - 1 >= COLUMN_GAP) starts.push(column)
    last = column
  })
  if (starts.length < 2) return [rows]
  return starts.map((start, index) => {
    const end = starts[index + 1] ?? Infinity
    return rows.flatMap(({ number, texts }) => {
      const part: string[] = []
      texts.forEach((text, column) => {
        if (column >= start && column < end) part[column] = text
      })
      return part.length === 0 ? [] : [{ number, texts: part }]
    })
  })
}

/** Removes empty columns at the left, and collapses empty rows between others into one. */
function asTable(rows: readonly UsedRow[]): SheetRows {
  const left = rows.reduce(
    (least, { texts }) =>
      Math.min(
        least,
        texts.findIndex((text) => text !== undefined),
      ),
    Infinity,
  )
  const width = rows.reduce((widest, { texts }) => Math.max(widest, texts.length), 0) - left
  if (rows.length * width > MAX_CELLS) {
    throw new ConversionError('resource_limit', `A sheet of the file spans more than ${MAX_CELLS} cells.`)
  }
  const texts: string[][] = []
  const numbers: number[] = []
  const add = (number: number, row: readonly string[]): void => {
    texts.push(Array.from({ length: width }, (_, column) => row[column + left] ?? ''))
    numbers.push(number)
  }
  for (const { number, texts: row } of rows) {
    const last = numbers.at(-1)
    if (last !== undefined && number > last + 1) add(last + 1, [])
    add(number, row)
  }
  return { texts, numbers, left }
}
