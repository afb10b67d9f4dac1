import type { Block, BlockPage } from '@sluice/contract'
import { type Edit, edited, type PageSegment } from './page-segments.ts'

/*
 * Running headers, footers and page numbers are detectable only across several pages. A bought page is parsed alone, so
 * its running lines come back as text. They are recognised by those in the engine's reading of the document.
 */

const RUNNING: ReadonlySet<string> = new Set(['page_header', 'page_footer', 'page_number'])

/** Threshold: share of the page's height, at each edge, that holds running lines. */
const BAND = 0.12

export interface RunningLines {
  /** Text of a line without its numbers → its kind. */
  readonly kinds: ReadonlyMap<string, string>
  /** True if the document's Markdown omits them. */
  readonly areLeftOut: boolean
}

const keyOf = (text: string): string =>
  text
    .toLowerCase()
    .replaceAll(/\d+|\b[ivxlc]+\b/g, '#')
    .replaceAll(/[\s*_#]*#[\s*_#]*/g, '#')
    .replaceAll(/\s+/g, ' ')
    .trim()

/** Lines common to at least two pages of the document. */
export function runningLinesOf(pages: readonly BlockPage[]): RunningLines {
  const seen = new Map<string, { kind: string; pages: number }>()
  let inMarkdown = 0
  for (const { items } of pages) {
    const keys = new Map<string, string>()
    for (const { type, content, markdownSpan } of items) {
      if (!RUNNING.has(type)) continue
      keys.set(keyOf(content), type)
      if (markdownSpan !== null && markdownSpan[0] < markdownSpan[1]) inMarkdown += 1
    }
    for (const [key, kind] of keys) seen.set(key, { kind, pages: (seen.get(key)?.pages ?? 0) + 1 })
  }
  const repeated = [...seen].filter(([, { pages: count }]) => count > 1)
  return { kinds: new Map(repeated.map(([key, { kind }]) => [key, kind])), areLeftOut: inMarkdown === 0 }
}

/** Labels the running lines of a page, and removes them from its text if the document omits them. */
export function withoutRunningLines(segment: PageSegment, { kinds, areLeftOut }: RunningLines): PageSegment {
  if (segment.blocks === null || kinds.size === 0) return segment
  const { items } = segment.blocks
  const found = new Map<string, string>()
  for (const block of items) {
    const kind = kinds.get(keyOf(block.content))
    if (kind !== undefined && isAtEdge(block, items)) found.set(block.id, kind)
  }
  if (found.size === 0 || found.size === items.length) return segment
  const edits = areLeftOut ? items.flatMap((block) => (found.has(block.id) ? removal(block, segment.text) : [])) : []
  const cut = edited(segment, edits)
  const named = cut.blocks?.items.map((block, index): Block => {
    const kind = found.get(block.id)
    if (kind === undefined) return block
    const { content } = items[index] ?? block
    return { ...block, type: kind, ...(areLeftOut ? { content, markdownSpan: null } : {}) }
  })
  return { ...cut, blocks: { ...segment.blocks, items: named ?? [] } }
}

function isAtEdge({ bbox, id }: Block, items: readonly Block[]): boolean {
  if (bbox !== null) return bbox[3] < BAND || bbox[1] > 1 - BAND
  return items[0]?.id === id || items.at(-1)?.id === id
}

/** Removes the blank line after it, too, or before it at the end. */
function removal({ markdownSpan: span }: Block, text: string): Edit[] {
  if (span === null || span[0] === span[1]) return []
  const after = /^\s*/.exec(text.slice(span[1]))?.[0].length ?? 0
  const end = span[1] + after
  const before = end === text.length ? (/\s*$/.exec(text.slice(0, span[0]))?.[0].length ?? 0) : 0
  return [{ start: span[0] - before, end, text: '' }]
}

/*
 * The level of a heading depends on the other headings of its document. A bought page is parsed alone. Its headings
 * take the level of the same heading in the engine's reading. The first fallback is the level of headings with similar
 * numbers; the second is a level below the title.
 */

interface Heading {
  readonly block: Block
  readonly level: number
  readonly text: string
}

export interface HeadingLevels {
  /** Depth of the number (`3.2` has 2) → level. */
  readonly byDepth: ReadonlyMap<number, number>
  /** First page with a heading of level 1; null if none has one. */
  readonly titlePage: number | null
  readonly ofPage: (pageNumber: number) => ReadonlyMap<string, number>
}

const HEADING = /^(#{1,6})\s+(\S.*)$/s
const NUMBER = /^(\d+(?:\.\d+)*)\.?\s/

function headingsOf(page: BlockPage): Heading[] {
  return page.items.flatMap((block) => {
    const heading = HEADING.exec(block.content)
    return heading === null ? [] : [{ block, level: heading[1]?.length ?? 1, text: heading[2] ?? '' }]
  })
}

const plain = (text: string): string => text.toLowerCase().replaceAll(/[^\p{L}\p{N}]/gu, '')
const depthOf = (text: string): number => NUMBER.exec(text)?.[1]?.split('.').length ?? 0

/** Heading levels in the engine's reading of the document. */
export function headingLevelsOf(pages: readonly BlockPage[]): HeadingLevels {
  const counts = new Map<number, Map<number, number>>()
  const byPage = new Map<number, Map<string, number>>()
  let titlePage: number | null = null
  for (const page of pages) {
    const own = new Map<string, number>()
    for (const { level, text } of headingsOf(page)) {
      own.set(plain(text), level)
      if (level === 1) titlePage ??= page.pageNumber
      const levels = counts.get(depthOf(text)) ?? new Map<number, number>()
      counts.set(depthOf(text), levels.set(level, (levels.get(level) ?? 0) + 1))
    }
    byPage.set(page.pageNumber, own)
  }
  const byDepth = new Map(
    [...counts].flatMap(([depth, levels]) => (depth === 0 ? [] : [[depth, mostOften(levels)] as const])),
  )
  return { byDepth, titlePage, ofPage: (page) => byPage.get(page) ?? new Map() }
}

function mostOften(counts: ReadonlyMap<number, number>): number {
  return [...counts].toSorted(([a, one], [b, other]) => other - one || a - b)[0]?.[0] ?? 2
}

/** Shifts the headings of a page to their levels in the document. */
export function withHeadingLevels(segment: PageSegment, pageNumber: number, levels: HeadingLevels): PageSegment {
  if (segment.blocks === null) return segment
  const headings = headingsOf(segment.blocks)
  const same = levels.ofPage(pageNumber)
  // Below the title if an earlier page has it. On the title's page, or without one, the levels stay.
  const highest = Math.min(...headings.map(({ level }) => level))
  const lower = levels.titlePage !== null && levels.titlePage < pageNumber && highest === 1 ? 1 : 0
  const edits = headings.flatMap(({ block, level, text }): Edit[] => {
    const known = same.get(plain(text)) ?? levels.byDepth.get(depthOf(text)) ?? level + lower
    const wanted = Math.min(known, 6)
    const { markdownSpan: span } = block
    if (span === null || wanted === level || segment.text.slice(...span) !== block.content) return []
    return [{ start: span[0], end: span[0] + level, text: '#'.repeat(wanted) }]
  })
  return edited(segment, edits)
}

/*
 * A table continued after a page break has its header on the first page only. A parser that reads the second page alone
 * treats the first row there as the header. If the rows prove that, the header of the previous page is repeated, and
 * the row becomes a body row again. No cell is lost or moves to another page.
 */

const NUMERIC = /^[\s$€£%()+−–-]*\d[\d.,\s]*[\s$€£%()]*$/

interface Table {
  readonly header: string
  readonly delimiter: string
  readonly rows: readonly string[]
}

function tableOf(content: string): Table | null {
  const [header = '', delimiter = '', ...rows] = content.split('\n')
  return header.startsWith('|') && /^\|(?:\s*:?-+:?\s*\|)+\s*$/.test(delimiter) ? { header, delimiter, rows } : null
}

const cellsOf = (row: string): string[] => row.replace(/^\||\|\s*$/g, '').split(/(?<!\\)\|/)

/** Adds the header of the previous page's last table to the first table of this page, if the table continues. */
export function withRepeatedHeader(before: PageSegment, segment: PageSegment): PageSegment {
  const last = textBlocks(before).at(-1)
  const first = textBlocks(segment)[0]
  if (last?.type !== 'table' || first?.type !== 'table' || first.markdownSpan === null) return segment
  const [above, below] = [tableOf(last.content), tableOf(first.content)]
  if (above === null || below === null || !goesOn(above, below)) return segment
  const text = [above.header, below.delimiter, below.header].join('\n')
  const [start] = first.markdownSpan
  const end = start + below.header.length + 1 + below.delimiter.length
  return edited(segment, [{ start, end, text }])
}

const textBlocks = ({ blocks }: PageSegment): Block[] =>
  (blocks?.items ?? []).filter(({ type, content }) => !RUNNING.has(type) && content !== '')

/** True if, in some column, the rows above are numbers under a word and the supposed header is a number. */
function goesOn(above: Table, below: Table): boolean {
  const header = cellsOf(above.header)
  const taken = cellsOf(below.header)
  if (header.length !== taken.length || above.rows.length === 0) return false
  return header.some((title, column) => {
    const values = above.rows.map((row) => cellsOf(row)[column] ?? '').filter((cell) => cell.trim() !== '')
    const numbers = values.filter((cell) => NUMERIC.test(cell)).length
    const isColumn = values.length > 0 && numbers >= 0.8 * values.length && title.trim() !== '' && !NUMERIC.test(title)
    return isColumn && NUMERIC.test(taken[column] ?? '')
  })
}
