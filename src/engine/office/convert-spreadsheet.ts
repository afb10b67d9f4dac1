import { read, set_cptable, type WorkBook } from '@e965/xlsx'
import * as codepages from '@e965/xlsx/dist/cpexcel.full.mjs'
import type { Extension } from '#src/document/formats.ts'
import type { Conversion } from '../conversion.ts'
import { convertOffice, type OfficeOptions } from './convert-office.ts'
import { escapeInline } from './escape-markdown.ts'
import { packageMetadata } from './package-metadata.ts'
import { pipeTable } from './pipe-table.ts'
import { sheetRows } from './sheet-rows.ts'
import { guardZip } from './zip-guard.ts'

// Texts of old .xls files are in the code page of the machine that wrote them.
set_cptable(codepages)

/** `dense` keeps rows as arrays; a date in the reader's own locale is written so that it cannot be misread. */
const READ_OPTIONS = { type: 'buffer', dense: true, cellFormula: false, cellHTML: false, dateNF: 'yyyy-mm-dd' } as const

function hyperlinks(book: WorkBook): string[] {
  const targets = new Set<string>()
  for (const sheet of Object.values(book.Sheets)) {
    sheet['!data']?.forEach((row) =>
      row?.forEach((cell) => {
        const target = cell?.l?.Target
        if (target !== undefined && !target.startsWith('#')) targets.add(target)
      }),
    )
  }
  return [...targets]
}

function hiddenSheets(book: WorkBook): string[] {
  return (book.Workbook?.Sheets ?? []).flatMap((sheet) => (sheet.Hidden ? [sheet.name ?? ''] : []))
}

/** One section a sheet: its name, and its cells as one table. Hidden sheets and those without cells are left out. */
function renderSheets(book: WorkBook, hidden: readonly string[]): string {
  const sections: string[] = []
  for (const name of book.SheetNames) {
    const sheet = book.Sheets[name]
    const rows = sheet === undefined || hidden.includes(name) ? [] : sheetRows(sheet)
    if (rows.length > 0) sections.push(`## ${escapeInline(name)}\n\n${pipeTable(rows)}\n`)
  }
  return sections.join('\n')
}

/**
 * Spreadsheets through SheetJS, because it gives values as the spreadsheet program shows them (15.5%, $1,234.50), and
 * through the office library for a file that SheetJS cannot read.
 */
export async function convertSpreadsheet(
  bytes: Buffer,
  extension: Extension,
  options: OfficeOptions,
): Promise<Conversion> {
  guardZip(bytes)
  let book: WorkBook
  try {
    book = read(bytes, READ_OPTIONS)
  } catch {
    return convertOffice(bytes, extension, options)
  }
  const hidden = hiddenSheets(book)
  return {
    markdown: renderSheets(book, hidden),
    html: null,
    pages: null,
    blocks: null,
    links: hyperlinks(book),
    images: [],
    metadata: { ...packageMetadata(bytes), ...(hidden.length > 0 ? { hiddenSheets: hidden } : {}) },
    warning: null,
  }
}
