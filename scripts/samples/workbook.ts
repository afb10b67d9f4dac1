import * as sheetJs from '@e965/xlsx'
import { withLongCells } from './long-cells.ts'
import { editPart } from './zip.ts'

export type Cell = string | number | Date

/** Sheet name → rows; the first row is the heading row. */
export type Sheets = Readonly<Record<string, readonly (readonly Cell[])[]>>

export type WorkbookKind = 'xlsx' | 'xlsm' | 'xlsb' | 'xls' | 'ods'

/** A workbook in any of the formats; `xlsm` permits macros, ours contains none. */
export function workbook(kind: WorkbookKind, title: string, sheets: Sheets): Uint8Array {
  const book = sheetJs.utils.book_new()
  for (const [name, rows] of Object.entries(sheets)) {
    const sheet = sheetJs.utils.aoa_to_sheet(
      rows.map((row) => [...row]),
      { cellDates: true, dateNF: 'yyyy-mm-dd', UTC: true },
    )
    sheetJs.utils.book_append_sheet(book, sheet, name)
  }
  book.Props = { Title: title, Author: 'Aldermere Navigation Authority', CreatedDate: new Date(Date.UTC(2024, 11, 1)) }
  const bookType = kind === 'xls' ? 'biff8' : kind
  const bytes = sheetJs.write(book, { type: 'buffer', bookType, compression: true }) as Buffer
  return kind === 'xlsb' ? editPart(bytes, 'xl/worksheets/sheet1.bin', withLongCells) : bytes
}
