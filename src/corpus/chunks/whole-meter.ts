import type { TokenCounter, TokenWords } from './chunk.ts'
import type { Piece } from './piece.ts'
import { gapEnd } from './white-space.ts'
import { WordMeter } from './word-meter.ts'
import { wordsOf } from './words.ts'

/** UTF-16 units per token: text longer than this times the limit is split before it is counted. */
const MAX_UNITS = 16

/**
 * Share of the limit from which an estimate is unreliable. The meter then counts a piece before a split into `oversize`
 * parts, or into less than a sentence. The parts of any other piece meet again in one chunk if they fit.
 */
const COUNTED_FROM: Partial<Readonly<Record<Piece['kind'], number>>> = {
  page: 0.9,
  heading: 0.9,
  sentence: 0.9,
  line: 0.7,
  word: 0.7,
}

/** Weight of the latest chunk in the moving average. */
const LATEST = 0.3

/**
 * For a tokenizer that only counts. Sizes of pieces are estimates: the sum over their words, corrected by the counts of
 * earlier chunks. Each chunk is counted as a unit.
 */
export class WholeMeter extends WordMeter {
  readonly #counter: TokenCounter
  readonly #counted = new WeakMap<Piece, number>()
  /** Ratio of actual to estimated tokens of the chunks so far. */
  #ratio = 1

  constructor(text: string, counter: TokenCounter, limit: number) {
    super(text, estimatedWords(counter), { limit, overhead: counter.overhead })
    this.#counter = counter
  }

  override pieceTokens(piece: Piece): number {
    if (piece.holdsOwn) return Infinity
    const known = this.#counted.get(piece)
    if (known !== undefined) return known
    const estimate = Math.ceil(super.pieceTokens(piece) * this.#ratio)
    if (estimate < this.limit * (COUNTED_FROM[piece.kind] ?? Infinity)) return estimate
    const size = this.#measured(piece)
    this.#counted.set(piece, size)
    return size
  }

  override totalTokens(context: string, start: number, end: number): number {
    const counted = this.#counter.count(context + this.text.slice(start, end))
    const estimate = this.sums.upTo(end) - this.sums.upTo(start)
    const ratio = (counted - this.overhead - this.contextTokens(context)) / estimate
    if (ratio > 0.1 && ratio < 10) this.#ratio += (ratio - this.#ratio) * LATEST
    return counted
  }

  #measured({ start, end }: Piece): number {
    if (end - start > this.limit * MAX_UNITS) return Infinity
    const slice = this.text.slice(start, gapEnd(this.text, end))
    return hasLongRun(slice) ? Infinity : this.#counter.count(slice) - this.overhead
  }
}

const SPACELESS = '\\p{Script=Han}\\p{Script=Hiragana}\\p{Script=Katakana}\\p{Script=Thai}'

/** A word, up to three digits, signs, one character of a script without spaces, or white space with a line break. */
const WORD = new RegExp(
  `[^\\S\\n]*(?:[a-zA-Z]+|[${SPACELESS}]|(?:(?![${SPACELESS}])[\\p{L}\\p{M}])+|\\p{N}{1,3}|[^\\s\\p{L}\\p{M}\\p{N}]+)|\\s+`,
  'gu',
)

const known = new WeakMap<TokenCounter, TokenWords>()

/** Sample that shows if the space before a word belongs to its tokens, or if the tokenizer adds it to every text. */
const SAMPLE =
  'The keeper was told of 3 spare gates | 4512 | 87 | (see "Costs"), and of 12,5 % more in time for winter.'

/**
 * Words of a text for a tokenizer that only counts: the sum of their counts estimates that of the text. A cache counts
 * each word once.
 */
function estimatedWords(counter: TokenCounter): TokenWords {
  const opened = known.get(counter)
  if (opened !== undefined) return opened
  const whole = counter.count(SAMPLE)
  const errorOf = (spaced: boolean): number =>
    Math.abs(SAMPLE.match(WORD)?.reduce((sum, word) => sum + countOf(word, spaced), counter.overhead - whole) ?? 0)
  const countOf = (word: string, spaced: boolean): number =>
    counter.count((spaced ? word : word.trimStart()) || '\n') - counter.overhead
  const isSpaced = errorOf(true) < errorOf(false)
  const words = wordsOf(WORD, (word) => countOf(word, isSpaced))
  known.set(counter, words)
  return words
}

/** Runs without a boundary, for which tokenizers take quadratic time. */
const LONG_RUN = /[\p{L}\p{M}]{1025}|\p{N}{1025}|[^\s\p{L}\p{N}]{1025}|\s{1025}/u

const LONGEST = 1024

/** True if a text has over 1,024 letters, digits, other signs or white space in a row. */
function hasLongRun(text: string): boolean {
  return mayHaveLongRun(text) && LONG_RUN.test(text)
}

/**
 * Fast check: reads each window of that length from its end back to the end of a run, usually one word. Characters
 * beyond ASCII end no run here.
 */
function mayHaveLongRun(text: string): boolean {
  for (let end = LONGEST; end < text.length;) {
    let kind = 0
    let at = end
    for (; at >= end - LONGEST; at--) {
      const code = text.charCodeAt(at)
      const next = code < 128 ? (KINDS[code] as number) : 0
      if (next !== kind && next !== 0 && kind !== 0) break
      if (next !== 0) kind = next
    }
    if (at < end - LONGEST) return true
    end = at + 1 + LONGEST
  }
  return false
}

/** Classes of ASCII characters: 1 letter, 2 digit, 3 white space, 4 any other. */
const KINDS = Uint8Array.from({ length: 128 }, (_, code) => {
  const character = String.fromCharCode(code)
  return /[a-z]/i.test(character) ? 1 : /\d/.test(character) ? 2 : /\s/.test(character) ? 3 : 4
})
