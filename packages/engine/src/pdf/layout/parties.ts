import { type Row, rowOf, type Segment } from '../geometry/rows.ts'

/** Rows of a page that are read as usual, or the columns of addresses side by side. */
export type Band =
  | { readonly kind: 'rows'; readonly rows: readonly Row[] }
  | { readonly kind: 'parties'; readonly columns: readonly (readonly Row[])[] }

/** What addresses on letters, invoices and orders are headed with. */
const PARTY =
  /^(?:bill(?:ed|ing)?|ship(?:ped|ping)?|sold|deliver(?:ed|y)?|invoiced?|mail|remit|return|from|to|seller|buyer|customer|client|supplier|vendor|consign(?:ee|or)|shipper|sender|recipient|payee|payer|rechnung|lieferung|absender|empf[aä]nger|kunde|lieferant|exp[eé]diteur|destinataire|client|fournisseur)\b/i
const MOST_WORDS = 4
const MOST_LINES = 8
/** Lines of an address stand no further apart, in line heights. */
const MOST_GAP = 1.4
/** Lines begin as far to the left as their heading, in points. */
const ALIGNED = 6

/** Divides the rows of a page where addresses stand side by side: each is read by itself, and the row below them is no part of it. */
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
    segments.length >= 2 &&
    segments.every(({ words }) => words.length <= MOST_WORDS && PARTY.test(words[0]?.text ?? ''))
  )
}

/** Lines from the heading on that stand close together and below the headings. */
function lengthOf(rows: readonly Row[], from: number, head: Row): number {
  let length = 1
  for (let above: Row = head; length < MOST_LINES; length += 1) {
    const row = rows[from + length]
    if (
      row === undefined ||
      row.y0 - above.y1 > MOST_GAP * (above.y1 - above.y0) * 0.5 ||
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
