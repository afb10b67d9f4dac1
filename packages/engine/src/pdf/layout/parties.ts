import { type Row, rowOf, type Segment } from '../geometry/rows.ts'

/** Rows of a page in normal order, or columns of adjacent addresses. */
export type Band =
  | { readonly kind: 'rows'; readonly rows: readonly Row[] }
  | { readonly kind: 'parties'; readonly columns: readonly (readonly Row[])[] }

/** Headings of addresses on letters, invoices and orders. */
const PARTY =
  /^(?:bill(?:ed|ing)?|ship(?:ped|ping)?|sold|deliver(?:ed|y)?|invoiced?|mail|remit|return|from|to|seller|buyer|customer|client|supplier|vendor|consign(?:ee|or)|shipper|sender|recipient|payee|payer|rechnung|lieferung|absender|empf[aä]nger|kunde|lieferant|exp[eé]diteur|destinataire|client|fournisseur)\b/i
const MAX_WORDS = 4
const MAX_LINES = 8
/** Threshold in line heights: maximum gap between lines of an address. */
const MAX_GAP = 1.4
/** Threshold in points: maximum offset of a line from the left edge of its heading. */
const ALIGNED = 6

/**
 * Splits the rows of a page at adjacent addresses. The layout reads each address separately, and the next row does not
 * belong to them.
 */
export function bandsOf(rows: readonly Row[]): Band[] {
  const bands: Band[] = []
  let at = 0
  for (let index = 0; index < rows.length; index += 1) {
    const head = rows[index]
    if (head === undefined || !isHead(head)) continue
    const length = lengthOf(rows, index, head)
    if (length < 3) continue
    bands.push({ kind: 'rows', rows: rows.slice(at, index) })
    bands.push({ kind: 'parties', columns: columnsOf(rows.slice(index, index + length), head) })
    at = index + length
    index = at - 1
  }
  return [...bands, { kind: 'rows' as const, rows: rows.slice(at) }].filter(
    (band) => band.kind === 'parties' || band.rows.length > 0,
  )
}

function isHead({ segments }: Row): boolean {
  return (
    segments.length >= 2 && segments.every(({ words }) => words.length <= MAX_WORDS && PARTY.test(words[0]?.text ?? ''))
  )
}

/** Returns the number of adjacent lines below a heading, the heading included. */
function lengthOf(rows: readonly Row[], from: number, head: Row): number {
  let length = 1
  for (let above: Row = head; length < MAX_LINES; length += 1) {
    const row = rows[from + length]
    if (
      row === undefined ||
      row.y0 - above.y1 > MAX_GAP * (above.y1 - above.y0) * 0.5 ||
      !row.segments.every((segment) => homeOf(segment, head) >= 0)
    )
      break
    above = row
  }
  return length
}

const homeOf = (segment: Segment, { segments }: Row): number =>
  segments.findIndex(({ x0 }) => Math.abs(x0 - segment.x0) <= ALIGNED)

function columnsOf(rows: readonly Row[], head: Row): Row[][] {
  return head.segments.map((_, column) =>
    rows.flatMap((row) => {
      const own = row.segments.filter((segment) => homeOf(segment, head) === column)
      return own.length === 0 ? [] : [rowOf(own)]
    }),
  )
}
