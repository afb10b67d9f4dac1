import { utils } from '@e965/xlsx'
import type { Mark } from '../anchors/marks.ts'
import type { SheetRows } from './sheet-rows.ts'

/** A sheet's table within the Markdown of its workbook. */
interface SheetTable {
  readonly name: string
  readonly rows: SheetRows
  readonly table: string
  /** Offset of the table's first character. */
  readonly at: number
}

/** Returns a mark with its range for each run of adjacent rows in the sheet, and a mark after the table. */
export function tableMarks({ name, rows, table, at }: SheetTable): Mark[] {
  const { texts, numbers, left } = rows
  const width = texts[0]?.length ?? 0
  if (width === 0) return []
  const marks: Mark[] = []
  const add = (first: number, last: number, offset: number): void => {
    const range = utils.encode_range({
      s: { r: numbers[first] ?? 0, c: left },
      e: { r: numbers[last] ?? 0, c: left + width - 1 },
    })
    const whole = range.includes(':') ? range : `${range}:${range}`
    marks.push({ at: at + offset, anchor: { sheet: name, range: whole } })
  }
  let first = 0
  let start = 0
  let offset = 0
  for (let row = 0; row < texts.length; row++) {
    if (row > 0 && numbers[row] !== (numbers[row - 1] ?? 0) + 1) {
      add(first, row - 1, start)
      first = row
      start = offset
    }
    offset = table.indexOf('\n', offset) + 1
    // Skips the delimiter row below the header.
    if (row === 0) offset = table.indexOf('\n', offset) + 1
  }
  add(first, texts.length - 1, start)
  marks.push({ at: at + table.length + 1, anchor: { sheet: name, range: null } })
  return marks
}

/** Returns the marks of a CSV file's single table. Rows are its records with text, counted from 1. */
export function csvMarks(markdown: string): Mark[] {
  const [header = ''] = markdown.split('\n', 1)
  const width = header.split(/(?<!\\)\|/).length - 2
  const lines = markdown.trimEnd().split('\n').length
  if (width < 1 || lines < 2) return []
  const range = utils.encode_range({ s: { r: 0, c: 0 }, e: { r: lines - 2, c: width - 1 } })
  return [{ at: 0, anchor: { sheet: null, range: range.includes(':') ? range : `${range}:${range}` } }]
}
