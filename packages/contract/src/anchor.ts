/**
 * Position of a block in a document without pages. All numbers count from 1, as the program that opens the file shows
 * them.
 *
 * - `slide`: of a presentation, hidden slides counted
 * - `sheet`: of a workbook; `range` in A1 notation, null for content outside cells; `sheet` is null for CSV
 * - `chapter`: file of an e-book in reading order, 0 for the book's title above the first; `title` is its first heading
 * - `section`: of any other document, the number of its heading and that heading's text; 0 and null before the first
 */
export type Anchor =
  | { readonly slide: number }
  | { readonly sheet: string | null; readonly range: string | null }
  | { readonly chapter: number; readonly title: string | null }
  | { readonly section: number; readonly title: string | null }

const isCount = (value: unknown): value is number => Number.isSafeInteger(value) && (value as number) >= 0
const isTextOrNull = (value: unknown): value is string | null => value === null || typeof value === 'string'

/** Parses an anchor. Returns null for any other value; drops unknown fields. */
export function anchorOf(value: unknown): Anchor | null {
  if (value === null || typeof value !== 'object') return null
  const { slide, sheet, range, chapter, section, title } = value as Readonly<Record<string, unknown>>
  if (isCount(slide)) return { slide }
  if (isTextOrNull(sheet) && isTextOrNull(range)) return { sheet, range }
  if (isCount(chapter) && isTextOrNull(title)) return { chapter, title }
  return isCount(section) && isTextOrNull(title) ? { section, title } : null
}

const RANGE = /^([A-Z]+)(\d+):([A-Z]+)(\d+)$/

/**
 * Narrows a table's anchor to some lines of its block. Each line of the content is one row of the range, except the
 * line below the header (`| --- |`). `lines` is a half-open interval that counts from 0. Returns any other anchor
 * unchanged.
 */
export function anchorOfLines(anchor: Anchor, content: string, lines: readonly [start: number, end: number]): Anchor {
  const range = 'range' in anchor && anchor.range !== null ? RANGE.exec(anchor.range) : null
  if (range === null || !('range' in anchor)) return anchor
  const [, left = '', top = '1', right = '', bottom = '1'] = range
  const isRule = /^[^\n]*\n\|(?: --- \|)+(?=\n|$)/.test(content)
  const rowOf = (line: number): number => Number(top) + (isRule && line > 0 ? line - 1 : line)
  const [first, last] = [rowOf(lines[0]), Math.min(rowOf(lines[1] - 1), Number(bottom))]
  return { ...anchor, range: `${left}${Math.min(first, last)}:${right}${last}` }
}
