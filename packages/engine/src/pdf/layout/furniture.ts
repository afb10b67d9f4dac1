import { middleY } from '../geometry/box.ts'
import { type Row, sizeOf, wordsIn } from '../geometry/rows.ts'

export type FurnitureKind = 'page_header' | 'page_footer' | 'page_number'

export interface PageRows {
  readonly rows: readonly Row[]
  readonly height: number
}

/** Threshold: fraction of the page height at each edge that holds running headers and footers. */
const BAND = 0.12
/** The same threshold for books with wide margins, for a running line with a page number in small print. */
const WIDE_BAND = 0.135
const LOOKED_AT = 4
const LARGE = 1.15
/** Threshold in characters. Longer lines are text, even if pages repeat them. */
const LONGEST = 140
/** Threshold: fraction of the page height. An unrepeated line must be nearer to the edge. */
const EDGE = 0.075
const SMALL = 0.95
const LONGEST_OPPOSITE = 100
const FAR = 1.6

/** Matches a sentence. A footnote of one line also starts with a number, but ends as a sentence. */
const SENTENCE = /(?:\S+\s+){3}\S*\p{Ll}[.!?]$|^\d{1,3}\s(?:\S+\s+){3,}\S*[\p{N})\]”"][.!?]$/u

const PAGE_NUMBER =
  /^(?:page|seite|p\.)?\s*[-–—|[(]*\s*(?:(?:[A-Z]{1,2}|\d{1,2})[-.])?(?:\d{1,5}|[ivxlc]{1,6})\s*[-–—|\])]*(?:\s*(?:of|\/|von|de)\s*\d{1,4})?$/i

/**
 * Returns, for each page, its rows that are headers, footers or page numbers. The map is empty if no other text would
 * remain.
 */
export function furnitureOf(pages: readonly PageRows[], bodySize: number): Map<Row, FurnitureKind>[] {
  const keyOf = (row: Row, top: boolean, page: PageRows): string => runningKey(row, top, page, bodySize)
  const counts = new Map<string, number>()
  for (const page of pages) {
    for (const key of new Set(edgeRows(page).map(({ row, top }) => keyOf(row, top, page)))) {
      counts.set(key, (counts.get(key) ?? 0) + 1)
    }
  }
  const often = Math.max(2, Math.min(4, pages.length * 0.3))
  return pages.map((page): Map<Row, FurnitureKind> => {
    const found = new Map<Row, FurnitureKind>()
    for (const { row, top } of edgeRows(page)) {
      const repeated = isWithin(row, BAND, page) && (counts.get(keyOf(row, top, page)) ?? 0) >= often
      const kind = kindOf(row, top, repeated, page, bodySize)
      if (kind !== null) found.set(row, kind)
    }
    // A page whose only text resembles a running line keeps it as text. Otherwise the page would be empty.
    return found.size < page.rows.length ? found : new Map()
  })
}

function edgeRows(page: PageRows): { row: Row; top: boolean }[] {
  const top = page.rows.slice(0, LOOKED_AT).filter((row) => middleY(row) < page.height * WIDE_BAND)
  const bottom = page.rows.slice(-LOOKED_AT).filter((row) => middleY(row) > page.height * (1 - WIDE_BAND))
  return [...top.map((row) => ({ row, top: true })), ...bottom.map((row) => ({ row, top: false }))]
}

/**
 * Returns the key of a running line. Rows at the same height that differ only in numbers share a key. Rows of a large
 * glyph size are often numbered headings, so they share one only if their text is equal.
 */
function runningKey(row: Row, top: boolean, page: PageRows, bodySize: number): string {
  const height = Math.round((top ? middleY(row) : page.height - middleY(row)) / 8)
  const large = sizeOf(wordsIn(row)) > LARGE * bodySize
  const text = large ? textOf(row) : textOf(row).replace(/\d+|\b[ivxlc]+\b/gi, '#')
  return `${top ? 't' : 'b'}${height} ${text}`
}

function kindOf(row: Row, top: boolean, repeated: boolean, page: PageRows, bodySize: number): FurnitureKind | null {
  const text = textOf(row)
  const kind = top ? 'page_header' : 'page_footer'
  if (PAGE_NUMBER.test(text) && isOutermost(row, top, page) && isWithin(row, BAND, page)) return 'page_number'
  if (repeated && text.length <= LONGEST) return PAGE_NUMBER.test(text) ? 'page_number' : kind
  if (standsOpposite(row, top, page, bodySize)) return kind
  const near = isWithin(row, EDGE, page)
  const small = sizeOf(wordsIn(row)) < SMALL * bodySize
  if ((!near && !small) || !isOutermost(row, top, page)) return null
  const numbered = /^\d{1,4}\s|\s\d{1,4}$|^page\s\d|\s\|\s/i.test(text) && text.length < 100 && !SENTENCE.test(text)
  return numbered && isAlone(row, top, page) ? kind : null
}

/** Detects a line without a number, far from the text, opposite the page number. */
function standsOpposite(row: Row, top: boolean, page: PageRows, bodySize: number): boolean {
  const other = top ? page.rows.at(-1) : page.rows[0]
  if (other === undefined || !isOutermost(row, top, page) || !isWithin(row, EDGE, page)) return false
  const small =
    sizeOf(wordsIn(row)) <= 1.02 * bodySize && textOf(row).length < LONGEST_OPPOSITE && !SENTENCE.test(textOf(row))
  return small && isWithin(other, BAND, page) && PAGE_NUMBER.test(textOf(other)) && isAlone(row, top, page, FAR)
}

/** True if a row is within this fraction of the page height from an edge. */
function isWithin(row: Row, share: number, page: PageRows): boolean {
  return middleY(row) < page.height * share || middleY(row) > page.height * (1 - share)
}

function isOutermost(row: Row, top: boolean, page: PageRows): boolean {
  return (top ? page.rows[0] : page.rows.at(-1)) === row
}

/** True if a wider gap than between lines separates the row from the text. The gap is in line heights. */
function isAlone(row: Row, top: boolean, page: PageRows, gaps = 0.8): boolean {
  const next = top ? page.rows[1] : page.rows.at(-2)
  if (next === undefined) return true
  const gap = top ? next.y0 - row.y1 : row.y0 - next.y1
  return gap > gaps * (row.y1 - row.y0)
}

function textOf(row: Row): string {
  return wordsIn(row)
    .map((word) => word.text)
    .join(' ')
    .trim()
}
