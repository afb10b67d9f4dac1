import type { DocumentRecord } from '#src/document/record.ts'
import { receiptsOf } from '#src/document/record.ts'
import type { Block } from './read-blocks.ts'

/** [start, end) in UTF-16 units of `document.md`. */
export type Span = readonly [start: number, end: number]

/** Left, top, right and bottom as shares of the page, each 0 to 1. */
export type Box = readonly [left: number, top: number, right: number, bottom: number]

/** A position in a document that a link names: the origin in a line of `sluice export --chunks`. */
export interface Citation {
  /** Ascending and at least one character long each. */
  readonly spans: readonly Span[]
  /** On the page that the link names. */
  readonly boxes: readonly Box[]
  /** Receipt that the spans belong to; null if the link names none. */
  readonly receipt: string | null
}

/** Maximum number of positions per link. */
const MAX_PLACES = 100

/** Parses `span`, `box` and `receipt` of an address; drops malformed values. */
export function readCitation(params: URLSearchParams): Citation {
  const all = (name: string): readonly string[] => params.getAll(name).slice(0, MAX_PLACES)
  const spans = all('span').flatMap((text): Span[] => {
    const [, start, end] = /^(\d{1,9})-(\d{1,9})$/.exec(text) ?? []
    return Number(start) < Number(end) ? [[Number(start), Number(end)]] : []
  })
  const boxes = all('box').flatMap((text): Box[] => {
    const [left, top, right, bottom, more] = text.split(',').map((part) => (part === '' ? NaN : Number(part)))
    if (left === undefined || top === undefined || right === undefined || bottom === undefined) return []
    const isBox = 0 <= left && left < right && right <= 1 && 0 <= top && top < bottom && bottom <= 1
    return isBox && more === undefined ? [[left, top, right, bottom]] : []
  })
  return { spans: spans.toSorted(([a], [b]) => a - b), boxes, receipt: params.get('receipt')?.slice(0, 200) ?? null }
}

export const isCited = (spans: readonly Span[], [from, to]: Span): boolean =>
  spans.some(([start, end]) => start < to && from < end)

/** True if a block overlaps the citation. */
export const citesBlock = ({ spans }: Citation, { markdownSpan }: Block): boolean =>
  markdownSpan !== null && isCited(spans, markdownSpan)

/** Default page of a link: that of the first cited block; 1 without a cited block. */
export const citedPage = (citation: Citation, blocks: readonly Block[]): number =>
  blocks.find((block) => citesBlock(citation, block))?.pageNumber ?? 1

/** True if the document was parsed differently since: its spans may be at other positions now. */
export const isOutdated = ({ receipt }: Citation, record: DocumentRecord): boolean =>
  receipt !== null && !receiptsOf(record).some((id) => id === receipt)

/** Query parameters of a link to a position in a document. */
export function citationParams(
  key: string,
  { spans, receipt }: Pick<Citation, 'spans' | 'receipt'>,
  page: number | null,
): string {
  const params = new URLSearchParams({ key })
  if (page !== null) params.set('page', String(page))
  for (const [start, end] of spans) params.append('span', `${start}-${end}`)
  if (receipt !== null) params.set('receipt', receipt)
  return params.toString()
}
