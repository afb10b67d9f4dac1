import type { Span, TokenCounter } from './chunk.ts'
import { hasLongRun } from './long-runs.ts'
import type { Piece } from './piece.ts'
import { Remembered, type TokenMeter } from './token-meter.ts'
import { gapEnd, isWhite } from './white-space.ts'

/** Units of a document a token: nothing longer than so many times the limit is counted before it is split. */
const MOST_UNITS = 16

/**
 * Characters a token above which a block is split before it is counted, so that it is not counted twice: its parts meet
 * again in one chunk where they fit.
 */
const UNITS_TO_SPLIT: Partial<Readonly<Record<Piece['kind'], number>>> = {
  page: 10,
  section: 10,
  prose: 5,
  list: 4,
  quote: 4,
  code: 3,
  table: 2,
}

/** For a tokenizer of which no more than counts are known: pieces are counted by themselves, and each chunk again as a whole. */
export class WholeMeter implements TokenMeter {
  readonly limit: number
  readonly #text: string
  readonly #counter: TokenCounter
  readonly #hasLongRuns: boolean
  readonly #sizes = new WeakMap<Piece, number>()
  readonly #contexts = new Remembered((text) => this.#count(text))

  constructor(text: string, counter: TokenCounter, limit: number) {
    this.limit = limit - counter.overhead
    this.#text = text
    this.#counter = counter
    this.#hasLongRuns = hasLongRun(text)
  }

  size(piece: Piece): number {
    if (piece.holdsOwn) return Infinity
    let size = this.#sizes.get(piece)
    if (size === undefined) {
      size = this.#measured(piece)
      this.#sizes.set(piece, size)
    }
    return size
  }

  context(text: string): number {
    return text === '' ? 0 : this.#contexts.of(text)
  }

  whole(context: string, start: number, end: number): number {
    return this.#counter.count(context + this.#text.slice(start, end))
  }

  #measured(piece: Piece): number {
    const most = this.limit * (UNITS_TO_SPLIT[piece.kind] ?? MOST_UNITS)
    if (piece.end - piece.start > most) return Infinity
    if (piece.kind === 'section' || piece.kind === 'page') return this.#section(piece)
    const slice = this.#text.slice(...cellOf(this.#text, piece))
    return this.#hasLongRuns && hasLongRun(slice) ? Infinity : this.#count(slice)
  }

  /** Counting ends where it is clear that the section does not fit. */
  #section({ children }: Piece): number {
    let size = 0
    for (const child of children) {
      size += this.size(child)
      if (size > this.limit) return Infinity
    }
    return size
  }

  #count(text: string): number {
    return this.#counter.count(text) - this.#counter.overhead
  }
}

/** A piece with the white space that is counted with it: up to the last line break behind it, and one space before it. */
function cellOf(text: string, { start, end }: Piece): Span {
  const isAfterSpace = start > 1 && text[start - 1] === ' ' && !isWhite(text.charCodeAt(start - 2))
  const newline = text.lastIndexOf('\n', gapEnd(text, end) - 1)
  return [isAfterSpace ? start - 1 : start, Math.max(newline + 1, end)]
}
