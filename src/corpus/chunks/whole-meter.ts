import type { TokenCounter, TokenWords } from './chunk.ts'
import { estimatedWords } from './estimated-words.ts'
import { hasLongRun } from './long-runs.ts'
import type { Piece } from './piece.ts'
import { Remembered, type TokenMeter } from './token-meter.ts'
import { gapEnd } from './white-space.ts'
import { WordSums } from './word-sums.ts'

/** Units of a document a token: nothing longer than so many times the limit is counted before it is split. */
const MOST_UNITS = 16

/**
 * Share of the limit from which an estimate is not relied on: a piece is counted before it is split into parts that are `oversize`,
 * or into less than a sentence. The parts of any other piece meet again in one chunk where they fit.
 */
const COUNTED_FROM: Partial<Readonly<Record<Piece['kind'], number>>> = {
  page: 0.9,
  heading: 0.9,
  sentence: 0.9,
  line: 0.7,
  word: 0.7,
}

/** Weight of the latest chunk in what is learned of all before. */
const LATEST = 0.3

/**
 * For a tokenizer of which no more than counts are known. Sizes of pieces are estimates, made of the counts of their words and
 * corrected by the counts of the chunks before; each chunk is counted as a whole.
 */
export class WholeMeter implements TokenMeter {
  readonly limit: number
  readonly #text: string
  readonly #counter: TokenCounter
  readonly #sums: WordSums
  readonly #counted = new WeakMap<Piece, number>()
  readonly #contexts: Remembered<number>
  /** Tokens of the chunks so far in multiples of their estimates. */
  #ratio = 1

  constructor(text: string, counter: TokenCounter, limit: number) {
    this.limit = limit - counter.overhead
    this.#text = text
    this.#counter = counter
    const words = estimatedWords(counter)
    this.#sums = new WordSums(text, words)
    this.#contexts = new Remembered((context) => sumOf(words, context))
  }

  size(piece: Piece): number {
    if (piece.holdsOwn) return Infinity
    const known = this.#counted.get(piece)
    if (known !== undefined) return known
    const estimate = Math.ceil(this.#estimate(piece) * this.#ratio)
    if (estimate < this.limit * (COUNTED_FROM[piece.kind] ?? Infinity)) return estimate
    const size = this.#measured(piece)
    this.#counted.set(piece, size)
    return size
  }

  context(text: string): number {
    return text === '' ? 0 : this.#contexts.of(text)
  }

  whole(context: string, start: number, end: number): number {
    const counted = this.#counter.count(context + this.#text.slice(start, end))
    const estimate = this.#sums.upTo(end) - this.#sums.upTo(start)
    const ratio = (counted - this.#counter.overhead - this.context(context)) / estimate
    if (ratio > 0.1 && ratio < 10) this.#ratio += (ratio - this.#ratio) * LATEST
    return counted
  }

  #estimate({ kind, start, end }: Piece): number {
    // Less than an estimated word, maybe.
    if (kind === 'word') return this.#sums.range(start, end)
    return this.#sums.upTo(gapEnd(this.#text, end)) - this.#sums.upTo(start)
  }

  #measured({ start, end }: Piece): number {
    if (end - start > this.limit * MOST_UNITS) return Infinity
    const slice = this.#text.slice(start, gapEnd(this.#text, end))
    return hasLongRun(slice) ? Infinity : this.#count(slice)
  }

  #count(text: string): number {
    return this.#counter.count(text) - this.#counter.overhead
  }
}

function sumOf(words: TokenWords, text: string): number {
  let tokens = 0
  for (let at = 0; at < text.length;) {
    const end = words.endOf(text, at)
    tokens += words.count(text.slice(at, end))
    at = end
  }
  return tokens
}
