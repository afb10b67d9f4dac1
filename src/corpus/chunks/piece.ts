/** What a piece is decides how it is split where it does not fit. */
export type PieceKind =
  | 'page' // all that begins on a page, where chunks are pages
  | 'section' // a heading and all below it
  | 'heading'
  | 'prose' // split into sentences
  | 'sentence' // split into words
  | 'list' // split into items, the outer item repeated
  | 'quote' // split into the blocks inside
  | 'code' // split into lines, the opening fence repeated
  | 'table' // split into rows, the header repeated
  | 'line' // a row or a code line: split into words, each oversize
  | 'word' // split at character boundaries, each part oversize

/** A range of the document that a chunk takes whole, or that is split. */
export interface Piece {
  readonly kind: PieceKind
  readonly start: number
  readonly end: number
  /** Headings above it, outermost first. */
  readonly headings: readonly string[]
  /** What stands above it in every chunk but the first of its block: the header of a table, the fence of code, the outer items of a list. */
  readonly repeat: string
  readonly caption: string | null
  /** Where it shares a chunk only with pieces of the same number: the start of its table, figure or page. Null elsewhere. */
  readonly own: { readonly kind: 'table' | 'figure' | 'page'; readonly at: number } | null
  /** Stands at the start of the chunk of what follows it: a heading, a caption. */
  readonly keepNext: boolean
  readonly oversize: boolean
  /** Of a section or a page: what it is made of. */
  readonly children: readonly Piece[]
  /** Of a section: whether a table or a figure is in it, which has a chunk of its own. */
  readonly holdsOwn: boolean
  /** Rows before it in its table, the header not counted; -1 where it is no whole row, `HEADER_ROW` for the header alone. */
  readonly row: number
  /** Where the row begins that it is a part of; -1 where it is no part of a row. */
  readonly rowStart: number
}

export const HEADER_ROW = -2

export const plainPiece = (kind: PieceKind, start: number, end: number, headings: readonly string[]): Piece => ({
  kind,
  start,
  end,
  headings,
  repeat: '',
  caption: null,
  own: null,
  keepNext: kind === 'heading',
  oversize: false,
  children: [],
  holdsOwn: false,
  row: -1,
  rowStart: -1,
})

/** The pieces that a section is made of, at the lowest level; of any other piece itself. */
export function addLeaves(piece: Piece, leaves: Piece[]): void {
  if (piece.kind !== 'section') leaves.push(piece)
  else for (const child of piece.children) addLeaves(child, leaves)
}
