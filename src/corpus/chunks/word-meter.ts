import type { TokenCounter, TokenWords } from './chunk.ts'
import type { Piece } from './piece.ts'
import { gapEnd, solidEnd } from './white-space.ts'
import { WordSums } from './word-sums.ts'

/** Contexts whose count is kept: neighbouring chunks have the same. */
const LAST_CONTEXTS = 64

interface CountedContext {
  readonly tokens: number
  /** End of the last word that is the same whatever follows, and the tokens up to there. */
  readonly cut: number
  readonly upToCut: number
}

/**
 * Counts the tokens of a document's pieces and chunks. For a tokenizer whose words are known: every character of a
 * document is counted once.
 */
export class WordMeter {
  /** Most tokens of a chunk, without those that the model adds. */
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

  /** Tokens of a piece with the white space behind it, about; infinite for one that must be split. */
  size({ kind, start, end, holdsOwn }: Piece): number {
    if (holdsOwn) return Infinity
    // Less than a word of the tokenizer, maybe.
    if (kind === 'word') return this.sums.range(start, end)
    return this.sums.upTo(gapEnd(this.text, end)) - this.sums.upTo(start)
  }

  /** Tokens of a context by itself, about. */
  context(text: string): number {
    return text === '' ? 0 : this.#counted(text).tokens
  }

  /** Exact tokens of a context and the body between two offsets, with those that the model adds. */
  whole(context: string, start: number, end: number): number {
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
