/** Kind of a piece, which decides its split if it does not fit. */
export type PieceKind =
  | 'page' // all blocks that start on a page, if chunks are pages
  | 'section' // a heading and all text below it
  | 'heading'
  | 'prose' // split into sentences
  | 'sentence' // split into words
  | 'list' // split into items, the outer item repeated
  | 'quote' // split into the blocks inside
  | 'code' // split into lines, the opening fence repeated
  | 'table' // split into rows, the header repeated
  | 'line' // a row or a code line: split into words, each oversize
  | 'word' // split at character boundaries, each part oversize

/** A range of the document that a chunk takes as a unit, or that is split. */
export interface Piece {
  readonly kind: PieceKind
  readonly start: number
  readonly end: number
  /** Headings above it, outermost first. */
  readonly headings: readonly string[]
  /**
   * Text above it in every chunk but the first of its block: the header of a table, the fence of code, the outer items
   * of a list.
   */
  readonly repeat: string
  readonly caption: string | null
  /** Start of its table, figure or page, if it shares a chunk only with pieces of the same start; else null. */
  readonly own: { readonly kind: 'table' | 'figure' | 'page'; readonly at: number } | null
  /** True if it must start the chunk of the next piece: a heading, a caption. */
  readonly keepNext: boolean
  readonly oversize: boolean
  /** Parts of a section or a page. */
  readonly children: readonly Piece[]
  /** True for a section with a table or a figure, which has a chunk of its own. */
  readonly holdsOwn: boolean
  /**
   * Number of rows before it in its table, without the header; -1 unless it is a complete row, `NO_ROW` for the header
   * alone and for a caption below.
   */
  readonly row: number
  /** Start of the row that it is a part of; -1 if it is not part of a row. */
  readonly rowStart: number
}

export const NO_ROW = -2

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

/** Collects the leaves of a section's tree; any other piece is its own leaf. */
export function addLeaves(piece: Piece, leaves: Piece[]): void {
  if (piece.kind !== 'section') leaves.push(piece)
  else for (const child of piece.children) addLeaves(child, leaves)
}
