import type { TokenCounter, TokenWords } from './chunk.ts'
import type { Piece } from './piece.ts'
import { Remembered, type TokenMeter } from './token-meter.ts'
import { gapEnd, solidEnd } from './white-space.ts'
import { WordSums } from './word-sums.ts'

interface CountedContext {
  readonly tokens: number
  /** End of the last word that is the same whatever follows, and the tokens up to there. */
  readonly cut: number
  readonly upToCut: number
}

/** For a tokenizer whose words are known: every character of a document is counted once. */
export class WordMeter implements TokenMeter {
  readonly limit: number
  readonly #text: string
  readonly #words: TokenWords
  readonly #overhead: number
  readonly #sums: WordSums
  readonly #contexts = new Remembered((text) => this.#counted(text))

  constructor(
    text: string,
    words: TokenWords,
    { limit, overhead }: Pick<TokenCounter, 'overhead'> & { readonly limit: number },
  ) {
    this.limit = limit - overhead
    this.#text = text
    this.#words = words
    this.#overhead = overhead
    this.#sums = new WordSums(text, words)
  }

  size({ kind, start, end, holdsOwn }: Piece): number {
    if (holdsOwn) return Infinity
    // Less than a word of the tokenizer, maybe.
    if (kind === 'word') return this.#sums.range(start, end)
    return this.#sums.upTo(gapEnd(this.#text, end)) - this.#sums.upTo(start)
  }

  context(text: string): number {
    return text === '' ? 0 : this.#contexts.of(text).tokens
  }

  whole(context: string, start: number, end: number): number {
    if (context === '') return this.#sums.range(start, end) + this.#overhead
    const { cut, upToCut } = this.#contexts.of(context)
    const text = context + this.#text.slice(start, end)
    return upToCut + this.#sums.tail(text, { at: cut, start, end }) + this.#overhead
  }

  #counted(text: string): CountedContext {
    const solid = solidEnd(text, 0, text.length)
    let [tokens, cut, upToCut] = [0, 0, 0]
    for (let at = 0; at < text.length;) {
      const end = this.#words.endOf(text, at)
      tokens += this.#words.count(text.slice(at, end))
      if (end <= solid) [cut, upToCut] = [end, tokens]
      at = end
    }
    return { tokens, cut, upToCut }
  }
}
