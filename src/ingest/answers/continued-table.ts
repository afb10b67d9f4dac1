import type { Block } from '#src/contract/response.ts'
import { edited, type PageSegment } from './page-segments.ts'

/*
 * A table that goes on over a page break has its header on the first page only. A parser that sees the second page alone
 * takes the first row there for the header. Where the rows show that, the header of the page before is repeated and the
 * row becomes a row again: no cell is lost or moved to another page.
 */

const RUNNING: ReadonlySet<string> = new Set(['page_header', 'page_footer', 'page_number'])
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

/** The page with its first table headed as the last table of the page before, where it goes on from there. */
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

/** In some column the rows above are numbers under a word, and the row that was taken for a header is a number there. */
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
