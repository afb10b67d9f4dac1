import type { Piece } from './piece.ts'

/** Counts the tokens of a document's pieces and chunks. */
export interface TokenMeter {
  /** Most tokens of a chunk, without those that the model adds. */
  readonly limit: number
  /** Tokens of a piece with the white space behind it, about; infinite for one that must be split. */
  size(piece: Piece): number
  /** Tokens of a context by itself, about. */
  context(text: string): number
  /** Exact tokens of a context and the body between two offsets, with those that the model adds. */
  whole(context: string, start: number, end: number): number
}

/** Contexts whose count is kept: neighbouring chunks have the same. */
const LAST_CONTEXTS = 64

/** Keeps the latest results of a function of a text. */
export class Remembered<T> {
  readonly #known = new Map<string, T>()
  readonly #make: (text: string) => T

  constructor(make: (text: string) => T) {
    this.#make = make
  }

  of(text: string): T {
    let known = this.#known.get(text)
    if (known === undefined) {
      known = this.#make(text)
      if (this.#known.size >= LAST_CONTEXTS) this.#known.clear()
      this.#known.set(text, known)
    }
    return known
  }
}
