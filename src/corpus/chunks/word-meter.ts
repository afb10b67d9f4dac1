import type { TokenCounter, TokenWords } from './chunk.ts'
import type { Piece } from './piece.ts'
import { gapEnd, solidEnd } from './white-space.ts'
import { WordSums } from './word-sums.ts'

/** Size of the cache of context counts: neighbouring chunks have the same context. */
const LAST_CONTEXTS = 64

interface CountedContext {
  readonly tokens: number
  /** End of the last word that later text cannot change, and the tokens up to there. */
  readonly cut: number
  readonly upToCut: number
}

/**
 * Counts the tokens of a document's pieces and chunks. For a tokenizer with known words: every character of a document
 * is counted once.
 */
export class WordMeter {
  /** Maximum number of tokens of a chunk, without special tokens. */
  readonly limit: number
  protected readonly text: string
  protected readonly overhead: number
  protected readonly sums: WordSums
  readonly #words: TokenWords
  readonly #contexts = new Map<string, CountedContext>()

  constructor(
    text: string,
    words: TokenWords,
    { limit, overhead }: Pick<TokenCounter, 'overhead'> & { readonly limit: number },
  ) {
    this.limit = limit - overhead
    this.text = text
    this.overhead = overhead
    this.sums = new WordSums(text, words)
    this.#words = words
  }

  /** Approximate tokens of a piece with the white space after it; infinite for one that must be split. */
  pieceTokens({ kind, start, end, holdsOwn }: Piece): number {
    if (holdsOwn) return Infinity
    // It may be less than a word of the tokenizer.
    if (kind === 'word') return this.sums.range(start, end)
    return this.sums.upTo(gapEnd(this.text, end)) - this.sums.upTo(start)
  }

  /** Approximate tokens of a context alone. */
  contextTokens(text: string): number {
    return text === '' ? 0 : this.#counted(text).tokens
  }

  /** Exact tokens of a context and the body between two offsets, with special tokens. */
  totalTokens(context: string, start: number, end: number): number {
    if (context === '') return this.sums.range(start, end) + this.overhead
    const { cut, upToCut } = this.#counted(context)
    const text = context + this.text.slice(start, end)
    return upToCut + this.sums.tail(text, { at: cut, start, end }) + this.overhead
  }

  #counted(text: string): CountedContext {
    const known = this.#contexts.get(text)
    if (known !== undefined) return known
    const solid = solidEnd(text, 0, text.length)
    let [tokens, cut, upToCut] = [0, 0, 0]
    for (let at = 0; at < text.length;) {
      const end = this.#words.endOf(text, at)
      tokens += this.#words.count(text.slice(at, end))
      if (end <= solid) [cut, upToCut] = [end, tokens]
      at = end
    }
    const counted = { tokens, cut, upToCut }
    if (this.#contexts.size >= LAST_CONTEXTS) this.#contexts.clear()
    this.#contexts.set(text, counted)
    return counted
  }
}
