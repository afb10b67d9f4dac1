import { utils, type CellObject, type WorkSheet } from '@e965/xlsx'
import { ConversionError } from '../conversion.ts'
import { asCell, escapeInline } from './escape-markdown.ts'

/** A sheet that spans more cells than this is refused: its table would be too large to read. */
const MAX_CELLS = 5_000_000

/** A cell as the spreadsheet program shows it: number formats applied. */
export function shownText(cell: CellObject): string {
  if (cell.t === 'z') return ''
  return asCell(escapeInline((cell.w ?? utils.format_cell(cell)).trim()))
}

function rowTexts(row: readonly (CellObject | undefined)[] | undefined): string[] {
  const texts: string[] = []
  // `forEach` passes over the holes of a sparse row: a stray cell far to the right costs nothing by itself.
  row?.forEach((cell, column) => {
    const text = cell === undefined ? '' : shownText(cell)
    if (text !== '') texts[column] = text
  })
  return texts
}

export interface SheetRows {
  readonly texts: readonly (readonly string[])[]
  /** Of each row its place in the sheet, from 0. */
  readonly numbers: readonly number[]
  /** Place of the first column in the sheet, from 0. */
  readonly left: number
}

export const NO_ROWS: SheetRows = { texts: [], numbers: [], left: 0 }

const firstColumn = (row: readonly string[]): number => row.findIndex((text) => text !== undefined)

/**
 * The cells that are in use, as rows of Markdown: empty columns at the left cut off, several empty rows made one. A
 * sheet's rows must have been read in dense mode.
 */
export function sheetRows(sheet: WorkSheet): SheetRows {
  const rows: string[][] = []
  const numbers: number[] = []
  let last = -1
  sheet['!data']?.forEach((cells, index) => {
    const row = rowTexts(cells)
    if (row.length === 0) return
    if (rows.length > 0 && index > last + 1) {
      rows.push([])
      numbers.push(last + 1)
    }
    last = index
    rows.push(row)
    numbers.push(index)
  })
  const left = rows.reduce((least, row) => (row.length === 0 ? least : Math.min(least, firstColumn(row))), Infinity)
  const width = rows.reduce((widest, row) => Math.max(widest, row.length), 0) - left
  if (rows.length * width > MAX_CELLS) {
    throw new ConversionError('resource_limit', `A sheet of the file spans more than ${MAX_CELLS} cells.`)
  }
  const texts = rows.map((row) => Array.from({ length: width }, (_, column) => row[column + left] ?? ''))
  return { texts, numbers, left: rows.length === 0 ? 0 : left }
}
