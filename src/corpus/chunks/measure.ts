import type { Piece } from './piece.ts'
import { type Cell, cellSpan, type TokenMeter } from './token-meter.ts'

/** What a piece takes in a chunk. */
export interface Measured {
  /** Tokens; infinite where it must be split. */
  readonly size: number
  /** The pieces that a section is made of, at the lowest level; of any other piece itself. */
  readonly leaves: readonly Piece[]
  readonly cells: readonly Cell[]
}

/** Characters a token, at least, above which a block is split before it is counted: what belongs together meets again. */
const UNITS_TO_SPLIT = 5

const SPLITS_EVENLY = new Set<Piece['kind']>(['prose', 'list', 'code', 'table'])

/** Measures the pieces of a document, each once. */
export class PieceMeasure {
  readonly #text: string
  readonly #meter: TokenMeter
  readonly #known = new WeakMap<Piece, Measured>()

  constructor(text: string, meter: TokenMeter) {
    this.#text = text
    this.#meter = meter
  }

  of(piece: Piece): Measured {
    let measured = this.#known.get(piece)
    if (measured === undefined) {
      measured = piece.kind === 'section' ? this.#section(piece) : this.#leaf(piece)
      this.#known.set(piece, measured)
    }
    return measured
  }

  #leaf(piece: Piece): Measured {
    const length = piece.end - piece.start
    const tooLong = SPLITS_EVENLY.has(piece.kind) && length > this.#meter.limit * UNITS_TO_SPLIT
    const span = cellSpan(this.#text, piece)
    const size = tooLong ? Infinity : this.#meter.size(span[0], span[1])
    return { size, leaves: [piece], cells: [{ span, size }] }
  }

  /** Counting ends where it is clear that the section does not fit. */
  #section(piece: Piece): Measured {
    const tooMuch = { size: Infinity, leaves: [], cells: [] }
    if (piece.end - piece.start > this.#meter.limit * UNITS_TO_SPLIT * 2) return tooMuch
    let size = 0
    const leaves: Piece[] = []
    const cells: Cell[] = []
    for (const child of piece.children) {
      if (child.own !== null) return tooMuch
      const measured = this.of(child)
      size += measured.size
      if (size > this.#meter.limit) return tooMuch
      leaves.push(...measured.leaves)
      cells.push(...measured.cells)
    }
    return { size, leaves, cells }
  }
}
