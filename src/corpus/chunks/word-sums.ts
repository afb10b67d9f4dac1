import { MAX_LIMIT, type TokenWords } from './chunk.ts'
import { solidEnd } from './white-space.ts'

/** Maximum length of a counted word: tokenizers take quadratic time for a longer one, and it is split anyway. */
const LONGEST_WORD = 1024

/** Count of a word over that length. With the longest string of V8 the sums stay below 2 to the power of 32. */
const TOO_MANY = MAX_LIMIT + 1

/**
 * Prefix sums of tokens at the ends of words: each word is counted once, and a range is the difference of two sums.
 * Takes 8 bytes per word.
 */
export class WordSums {
  readonly #text: string
  readonly #words: TokenWords
  /** Ends of the words, ascending from 0, and the tokens up to each. */
  #ends = new Uint32Array(256)
  #sums = new Uint32Array(256)
  #last = 0
  /** Index of the last search: the next one is near it. */
  #near = 0

  constructor(text: string, words: TokenWords) {
    this.#text = text
    this.#words = words
    let sum = 0
    for (let at = 0; at < text.length;) {
      const end = words.endOf(text, at)
      sum += end - at > LONGEST_WORD ? TOO_MANY : words.count(text.slice(at, end))
      this.#push(end, sum)
      at = end
    }
  }

  /** Tokens of the words that end at or before an offset. */
  upTo(at: number): number {
    return this.#sums[this.#indexAt(at)] as number
  }

  /** Exact tokens of a range alone, or more than any limit if a word in it is too long to count. */
  range(start: number, end: number): number {
    const [first, last] = [this.#indexAt(start), this.#indexAt(end)]
    const isWhole = this.#ends[first] === start && this.#ends[last] === end
    if (isWhole && solidEnd(this.#text, start, end) === end) return this.#between(first, last)
    return this.tail(this.#text.slice(start, end), { at: 0, start, end })
  }

  /**
   * Exact tokens of the rest after `at`, in a text that ends with the range `start` to `end` of the document; a word
   * starts at `at`. From the first shared word boundary on, the words equal those of the document, except for the last
   * ones.
   */
  tail(
    text: string,
    { at: from, start, end }: { readonly at: number; readonly start: number; readonly end: number },
  ): number {
    const shift = end - text.length
    const solid = solidEnd(this.#text, start, end)
    let tokens = 0
    let isJoined = false
    for (let at = from; at < text.length;) {
      const inDocument = at + shift
      const index = isJoined || inDocument < start || inDocument >= solid ? -1 : this.#indexAt(inDocument)
      if (index !== -1 && this.#ends[index] === inDocument) {
        const last = this.#indexAt(solid)
        tokens += this.#between(index, last)
        at = (this.#ends[last] as number) - shift
        isJoined = true
        continue
      }
      const next = this.#words.endOf(text, at)
      tokens += this.#words.count(text.slice(at, next))
      at = next
    }
    return tokens
  }

  #between(first: number, last: number): number {
    return (this.#sums[last] as number) - (this.#sums[first] as number)
  }

  /** Index of the last end at or before an offset. */
  #indexAt(at: number): number {
    const ends = this.#ends
    let index = this.#near
    while ((ends[index] as number) > at) index -= 1
    while (index < this.#last && (ends[index + 1] as number) <= at) index += 1
    this.#near = index
    return index
  }

  #push(end: number, sum: number): void {
    this.#last += 1
    if (this.#last === this.#ends.length) {
      this.#ends = grown(this.#ends)
      this.#sums = grown(this.#sums)
    }
    this.#ends[this.#last] = end
    this.#sums[this.#last] = sum
  }
}

function grown(numbers: Uint32Array<ArrayBuffer>): Uint32Array<ArrayBuffer> {
  const more = new Uint32Array(numbers.length * 2)
  more.set(numbers)
  return more
}
