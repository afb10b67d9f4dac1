import { CFB, read, set_cptable, type WorkBook } from '@e965/xlsx'
import * as codepages from '@e965/xlsx/dist/cpexcel.full.mjs'
import type { Extension } from '@sluice/contract'
import type { Mark } from '../anchors/marks.ts'
import { type Conversion, ConversionError } from '../conversion.ts'
import { convertOffice, type OfficeOptions } from '../office/convert-office.ts'
import { escapeInline } from '../markup/escape-markdown.ts'
import { htmlComment } from '../markup/html-comment.ts'
import { counted, leftOutWarning } from '../markup/left-out.ts'
import { isLocked, isOle } from '../container/locked-office.ts'
import { encrypted } from '../office/office-errors.ts'
import { packageMetadata } from '../office/package-metadata.ts'
import { OoxmlPackage } from '../ooxml/ooxml-package.ts'
import { sheetDrawings, type SheetDrawings } from './sheet-supplement.ts'
import { pipeTable } from '../markup/pipe-table.ts'
import { tableMarks } from './table-marks.ts'
import { sheetComments } from './sheet-comments.ts'
import { sheetTables, shownText } from './sheet-rows.ts'
import { embeddedFiles } from '../office/embedded-files.ts'
import { objectBlocks, odfObjectParts } from '../office/odf-objects.ts'
import { odfSheetDrawings } from './odf-sheet-drawings.ts'
import { unreadPictures } from '../office/unread-pictures.ts'
import { oleContainer } from '../container/ole-container.ts'
import { MAX_ZIP_ENTRIES, zipEntries } from '../container/zip-directory.ts'

// Texts of old .xls files are encoded in the code page of the author's machine.
set_cptable(codepages)

/** `dense` keeps rows as arrays. The date format is unambiguous in every locale. */
const READ_OPTIONS = {
  type: 'buffer',
  dense: true,
  cellFormula: false,
  cellHTML: false,
  cellNF: true,
  dateNF: 'yyyy-mm-dd',
} as const

const NO_DRAWINGS: SheetDrawings = new Map()

const isZip = (bytes: Buffer): boolean => bytes.subarray(0, 2).toString('latin1') === 'PK'

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

interface SheetsOptions {
  readonly drawings: SheetDrawings
  readonly onlyMainContent: boolean
  /** True if the caller wants the marks. */
  readonly anchors: boolean
}

interface SheetsMarkdown {
  readonly markdown: string
  /** Offsets of sheets, and of the rows of their tables. */
  readonly marks: readonly Mark[]
}

/**
 * Renders a section per sheet: its name, its cells as a table, its comments and its drawings. Text boxes over cells are
 * outside the main content, as in every export of a spreadsheet program. In that mode they become a comment of the
 * Markdown.
 */
function renderSheets(
  book: WorkBook,
  hidden: readonly string[],
  { drawings, onlyMainContent, anchors }: SheetsOptions,
): SheetsMarkdown {
  const sections: string[] = []
  const marks: Mark[] = []
  let at = 0
  for (const name of book.SheetNames) {
    if (hidden.includes(name)) continue
    const sheet = book.Sheets[name]
    const rows = sheet === undefined ? [] : sheetTables(sheet)
    const tables = rows.map(({ texts }) => pipeTable(texts))
    const { blocks: drawn, texts } = drawings.get(name) ?? { blocks: [], texts: [] }
    const beside =
      onlyMainContent && tables.length > 0 && texts.length > 0 ? [htmlComment('text boxes', texts.join(' | '))] : texts
    const blocks = [...tables, ...(sheet === undefined ? [] : sheetComments(sheet)), ...drawn, ...beside]
    if (blocks.length === 0) continue
    const heading = `## ${escapeInline(name)}\n\n`
    if (anchors) {
      marks.push({ at, anchor: { sheet: name, range: null } })
      let start = at + heading.length
      rows.forEach((table, index) => {
        const markdown = tables[index] ?? ''
        marks.push(...tableMarks({ name, rows: table, table: markdown, at: start }))
        start += markdown.length + 2
      })
    }
    const section = `${heading}${blocks.join('\n\n')}\n`
    sections.push(section)
    at += section.length + 1
  }
  return { markdown: sections.join('\n'), marks }
}

/** Returns a lookup of the values and the shown texts of a workbook's cells. The index is built for the first chart. */
function cellTexts(book: WorkBook): (text: string) => boolean {
  let texts: Set<string> | null = null
  const gather = (): Set<string> => {
    const found = new Set(book.SheetNames)
    for (const sheet of Object.values(book.Sheets)) {
      sheet['!data']?.forEach((row) => row?.forEach((cell) => cell && found.add(String(cell.v)).add(shownText(cell))))
    }
    return found
  }
  return (text) => (texts ??= gather()).has(text)
}

/**
 * Converts spreadsheets with SheetJS, which formats values as the spreadsheet program does (15.5%, $1,234.50). The
 * fallback is the office library, for a file that SheetJS cannot parse.
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
  } catch (error) {
    if (isLocked(bytes)) throw encrypted(extension, error)
    return convertOffice(bytes, extension, options)
  }
  const hidden = options.hiddenSheets === true ? [] : hiddenSheets(book)
  const container = isZip(bytes) ? new OoxmlPackage(bytes) : null
  const isKnown = cellTexts(book)
  const drawings =
    container === null
      ? NO_DRAWINGS
      : extension === 'ods'
        ? odfSheetDrawings(container)
        : sheetDrawings(container, { names: book.SheetNames, isKnown })
  const objects =
    container === null ? [] : odfObjectParts(container).flatMap((part) => objectBlocks(container, part, isKnown))
  // Charts of an old workbook are streams within its stream, which the converter does not parse.
  const leftOut = [
    ...counted(hidden.length, 'hidden sheet'),
    ...counted(countXlsCharts(bytes), 'chart'),
    ...embeddedFiles(bytes),
  ]
  const { onlyMainContent, anchors = false } = options
  const sheets = renderSheets(book, hidden, { drawings, onlyMainContent, anchors })
  const markdown = [sheets.markdown, ...objects.map((block) => `${block}\n`)].filter((part) => part !== '').join('\n')
  return {
    markdown,
    html: null,
    pages: null,
    blocks: null,
    links: hyperlinks(book),
    images: [],
    metadata: { ...packageMetadata(bytes), ...(hidden.length > 0 ? { hiddenSheets: hidden } : {}) },
    warning: leftOutWarning([...leftOut, ...unreadPictures(bytes, markdown)]),
    ...(anchors ? { marks: sheets.marks } : {}),
  }
}

/**
 * BOF of BIFF8 and BIFF5 starts each part of a workbook. Its second field is the type of the part ([MS-XLS] 2.4.21).
 */
const BOF = 0x0809
const CHART = 0x0020

/** Counts the charts of an old workbook, chart sheets included. 0 for any other file. */
function countXlsCharts(bytes: Buffer): number {
  if (!isOle(bytes)) return 0
  try {
    const file = oleContainer(bytes)
    const stream = Buffer.from((CFB.find(file, 'Workbook') ?? CFB.find(file, 'Book'))?.content ?? [])
    let charts = 0
    for (let offset = 0; offset + 8 <= stream.length; offset += 4 + stream.readUInt16LE(offset + 2)) {
      if (stream.readUInt16LE(offset) === BOF && stream.readUInt16LE(offset + 6) === CHART) charts += 1
    }
    return charts
  } catch {
    return 0
  }
}

const MAX_UNPACKED_BYTES = 500 * 1024 ** 2

/** Rejects an archive whose directory exceeds the limits, before any parser unpacks it. */
export function guardZip(bytes: Buffer): void {
  let entries = 0
  let unpacked = 0
  for (const entry of zipEntries(bytes)) {
    entries += 1
    unpacked += entry.bytes
    if (entries > MAX_ZIP_ENTRIES || unpacked > MAX_UNPACKED_BYTES) {
      throw new ConversionError('resource_limit', 'The file unpacks to more data than the engine accepts.')
    }
  }
}
