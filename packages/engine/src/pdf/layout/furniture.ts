import { middleY } from '../geometry/box.ts'
import { type Row, sizeOf, wordsIn } from '../geometry/rows.ts'

export type FurnitureKind = 'page_header' | 'page_footer' | 'page_number'

export interface PageRows {
  readonly rows: readonly Row[]
  readonly height: number
}

/** Running headers and footers stand in this share of the page's height at its edges. */
const BAND = 0.12
/** Books with wide margins: a running line with a page number in small print stands in this share. */
const WIDE_BAND = 0.135
const LOOKED_AT = 4
const LARGE = 1.15
/** Longer lines are text, even where pages repeat them. */
const LONGEST = 140
/** What no other page repeats must stand nearer to the edge to be taken for one. */
const EDGE = 0.075
const SMALL = 0.95
const LONGEST_OPPOSITE = 100
const FAR = 1.6

/** A note of one line at the foot of a page begins with a number too, and ends as a sentence. */
const SENTENCE = /(?:\S+\s+){3}\S*\p{Ll}[.!?]$|^\d{1,3}\s(?:\S+\s+){3,}\S*[\p{N})\]”"][.!?]$/u

const PAGE_NUMBER =
  /^(?:page|seite|p\.)?\s*[-–—|[(]*\s*(?:(?:[A-Z]{1,2}|\d{1,2})[-.])?(?:\d{1,5}|[ivxlc]{1,6})\s*[-–—|\])]*(?:\s*(?:of|\/|von|de)\s*\d{1,4})?$/i

/** For each page, its rows that are headers, footers or page numbers, by row. Other text remains on the page, or the map is empty. */
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
    // A page whose only text looks like a running line would come out empty: there it is the page's text.
    return found.size < page.rows.length ? found : new Map()
  })
}

function edgeRows(page: PageRows): { row: Row; top: boolean }[] {
  const top = page.rows.slice(0, LOOKED_AT).filter((row) => middleY(row) < page.height * WIDE_BAND)
  const bottom = page.rows.slice(-LOOKED_AT).filter((row) => middleY(row) > page.height * (1 - WIDE_BAND))
  return [...top.map((row) => ({ row, top: true })), ...bottom.map((row) => ({ row, top: false }))]
}

/**
 * Rows that are alike but for their numbers and stand at the same height are one running line. Large letters are a
 * heading's, which may well be numbered: those must be alike to the letter.
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

/** A line without a number, far from the text, on a page whose number stands at the other edge. */
function standsOpposite(row: Row, top: boolean, page: PageRows, bodySize: number): boolean {
  const other = top ? page.rows.at(-1) : page.rows[0]
  if (other === undefined || !isOutermost(row, top, page) || !isWithin(row, EDGE, page)) return false
  const small =
    sizeOf(wordsIn(row)) <= 1.02 * bodySize && textOf(row).length < LONGEST_OPPOSITE && !SENTENCE.test(textOf(row))
  return small && isWithin(other, BAND, page) && PAGE_NUMBER.test(textOf(other)) && isAlone(row, top, page, FAR)
}

/** Whether it stands in this share of the page's height at its upper or lower edge. */
function isWithin(row: Row, share: number, page: PageRows): boolean {
  return middleY(row) < page.height * share || middleY(row) > page.height * (1 - share)
}

function isOutermost(row: Row, top: boolean, page: PageRows): boolean {
  return (top ? page.rows[0] : page.rows.at(-1)) === row
}

/** A wider gap than between lines, of so many line heights, separates it from the text. */
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
