import { CFB } from '@e965/xlsx'
import { oleContainer } from '../container/ole-container.ts'
import { asCell } from '../markup/escape-markdown.ts'
import { isOle } from '../container/locked-office.ts'
import { pipeTable } from '../markup/pipe-table.ts'
import { pptDescendants, type PptRecord, pptTexts, recordsIn } from './ppt-records.ts'

/** Record types of a presentation of 97 to 2003 and of its drawings ([MS-PPT] 2.13.24, [MS-ODRAW] 2.2). */
const SLIDE = 0x03ee
const GROUP = 0xf003
const SHAPE = 0xf004
const CHILD_ANCHOR = 0xf00f
const TERTIARY_OPTIONS = 0xf122
/** tableProperties. Its lowest bit marks a group as a table ([MS-ODRAW] 2.3.4.37). */
const TABLE_PROPERTIES = 0x039f
/** A cell with text, with its row and column index, both from 0. */
export interface PptCell {
  readonly row: number
  readonly column: number
  readonly paragraphs: readonly string[]
}

export interface PptTable {
  /** In file order, which is the order of the library's paragraphs. */
  readonly cells: readonly PptCell[]
  readonly columns: number
  readonly rows: number
}

/**
 * Returns the tables of all slides of a `.ppt`: groups of shapes with the table flag. Empty for any other or a damaged
 * file.
 */
export function pptTablesOf(bytes: Buffer): PptTable[] {
  if (!isOle(bytes)) return []
  let stream: Buffer
  try {
    stream = Buffer.from(CFB.find(oleContainer(bytes), 'PowerPoint Document')?.content ?? [])
  } catch {
    return []
  }
  return [...pptDescendants(stream, SLIDE)].flatMap((slide) =>
    [...pptDescendants(slide.data, GROUP)].flatMap((group) => tableOf(group) ?? []),
  )
}

function tableOf(group: PptRecord): PptTable | null {
  const [own, ...shapes] = [...recordsIn(group.data)].filter(({ type }) => type === SHAPE)
  if (own === undefined || !isTable(own)) return null
  const placed = shapes.flatMap((shape) => {
    const [anchor] = [...pptDescendants(shape.data, CHILD_ANCHOR)]
    if (anchor === undefined || anchor.data.length < 16) return []
    const [left, top, right, bottom] = [0, 4, 8, 12].map((at) => anchor.data.readInt32LE(at)) as [
      number,
      number,
      number,
      number,
    ]
    // Lines are shapes without an area.
    return right <= left || bottom <= top ? [] : [{ left, top, paragraphs: textOf(shape) }]
  })
  const lefts = [...new Set(placed.map(({ left }) => left))].sort((a, b) => a - b)
  const tops = [...new Set(placed.map(({ top }) => top))].sort((a, b) => a - b)
  const cells = placed
    .filter(({ paragraphs }) => paragraphs.length > 0)
    .map(({ left, top, paragraphs }) => ({ row: tops.indexOf(top), column: lefts.indexOf(left), paragraphs }))
  return { cells, columns: lefts.length, rows: tops.length }
}

function isTable(shape: PptRecord): boolean {
  return [...pptDescendants(shape.data, TERTIARY_OPTIONS)].some(({ data, instance }) => {
    for (let at = 0; at < 6 * instance && at + 6 <= data.length; at += 6) {
      if ((data.readUInt16LE(at) & 0x3fff) === TABLE_PROPERTIES) return (data.readUInt32LE(at + 2) & 1) === 1
    }
    return false
  })
}

function textOf(shape: PptRecord): string[] {
  return pptTexts(shape.data)
    .flatMap((text) => text.split('\r'))
    .filter((text) => bare(text) !== '')
}

/** Removes spaces and the additions of Markdown. */
const bare = (text: string): string => text.replace(/[\s\u000b\\*_]|<br>/g, '')

/** Replaces the paragraphs that are cells of a table with that table. */
export function withPptTables(markdown: string, tables: readonly PptTable[]): string {
  if (tables.length === 0) return markdown
  const blocks = markdown.split('\n\n')
  let from = 0
  for (const { cells, columns, rows } of tables) {
    const wanted = cells.flatMap(({ paragraphs }) => paragraphs.map(bare))
    const start = blocks.findIndex(
      (_, at) =>
        at >= from && wanted.length > 0 && wanted.every((text, index) => bare(blocks[at + index] ?? '') === text),
    )
    if (start < 0) continue
    const grid = Array.from({ length: rows }, () => Array.from({ length: columns }, () => ''))
    let at = start
    for (const { row, column, paragraphs } of cells) {
      const text = blocks
        .slice(at, at + paragraphs.length)
        .map(asCell)
        .join('<br>')
      at += paragraphs.length
      const line = grid[row]
      if (line !== undefined) line[column] = text
    }
    blocks.splice(start, wanted.length, pipeTable(grid))
    from = start + 1
  }
  return blocks.join('\n\n')
}
