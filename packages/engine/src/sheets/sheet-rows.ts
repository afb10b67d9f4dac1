import { utils, type CellObject, type WorkSheet } from '@e965/xlsx'
import { ConversionError } from '../conversion.ts'
import { conditionalText, hasConditions } from './conditional-format.ts'
import { asCell, escapeInline } from '../markup/escape-markdown.ts'

/** A sheet whose tables span more cells than this is refused: they would be too large to read. */
const MAX_CELLS = 5_000_000
/**
 * So many empty columns divide a sheet into tables: a cell far to the right would make each row as wide. Forms are laid out
 * with fewer between their columns.
 */
const COLUMN_GAP = 50

/** A cell as the spreadsheet program shows it: number formats applied. */
export function shownText(cell: CellObject): string {
  if (cell.t === 'z') return ''
  const text =
    cell.t === 'n' && typeof cell.v === 'number' && typeof cell.z === 'string' && hasConditions(cell.z)
      ? conditionalText(cell.z, cell.v)
      : (cell.w ?? utils.format_cell(cell))
  return asCell(escapeInline(text.trim()))
}

/** Cells that stand together, as rows of Markdown of equal width. */
export interface SheetRows {
  readonly texts: readonly (readonly string[])[]
  /** Of each row its place in the sheet, from 0. */
  readonly numbers: readonly number[]
  /** Place of the first column in the sheet, from 0. */
  readonly left: number
}

/** A row of a sheet that holds text: sparse, a stray cell far to the right costs nothing by itself. */
interface UsedRow {
  readonly number: number
  readonly texts: readonly string[]
}

/** The cells that are in use, as one table, or several beside each other. A sheet's rows must have been read in dense mode. */
export function sheetTables(sheet: WorkSheet): SheetRows[] {
  const tables = dividedByColumns(usedRows(sheet)).map(asTable)
  const cells = tables.reduce((sum, { texts }) => sum + texts.length * (texts[0]?.length ?? 0), 0)
  if (cells > MAX_CELLS) {
    throw new ConversionError('resource_limit', `A sheet of the file spans more than ${MAX_CELLS} cells.`)
  }
  return tables
}

/**
 * Takes away what merged cells cover: a spreadsheet program shows the first of them only. Merges that ask for more steps than
 * there are cells in the largest sheet stay as they are.
 */
function uncover(sheet: WorkSheet): void {
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
  uncover(sheet)
  // `forEach` passes over the holes of a sparse array.
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

/** Empty columns at the left are cut off; several empty rows between others become one. */
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
