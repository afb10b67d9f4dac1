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

/**
 * Characters a token above which a block is split before it is counted, so that it is not counted twice: its parts meet
 * again in one chunk where they fit.
 */
const UNITS_TO_SPLIT: Partial<Readonly<Record<Piece['kind'], number>>> = {
  prose: 5,
  list: 4,
  quote: 4,
  code: 3,
  table: 2,
}

const SECTION_UNITS_TO_SPLIT = 10

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
    const tooLong = length > this.#meter.limit * (UNITS_TO_SPLIT[piece.kind] ?? Infinity)
    const span = cellSpan(this.#text, piece)
    const size = tooLong ? Infinity : this.#meter.size(span[0], span[1])
    return { size, leaves: [piece], cells: [{ span, size }] }
  }

  /** Counting ends where it is clear that the section does not fit. */
  #section(piece: Piece): Measured {
    const tooMuch = { size: Infinity, leaves: [], cells: [] }
    if (piece.end - piece.start > this.#meter.limit * SECTION_UNITS_TO_SPLIT) return tooMuch
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
