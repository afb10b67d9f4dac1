import type { Extension } from '@sluice/contract'
import { Random } from '../../../../../test/support/random.ts'

/** A word of the truth, and the construct that holds it. */
export interface TrueWord {
  readonly word: string
  readonly construct: string
  /** Number of its slide or chapter; 0 in a file without. */
  readonly position: number
}

/** A file with all words that a reader of it sees. */
export interface GeneratedFile {
  readonly extension: Extension
  readonly bytes: Buffer
  readonly words: readonly TrueWord[]
}

const LETTERS = 'abcdefghijklmnop'

/** Draws content of one file: words are never repeated, so that each is found in its own position only. */
export class Draw {
  readonly words: TrueWord[] = []
  /** Of the words that are drawn from here on. */
  position = 0
  readonly #random: Random
  readonly #used = new Set<string>()

  readonly #accents: readonly string[]
  #hiddenIn: string | null = null

  /** `accents` are letters of which words have one, where what a file is encoded in matters. */
  constructor(seed: number, accents: readonly string[] = []) {
    this.#random = new Random(seed)
    this.#accents = accents
  }

  /** What is made here counts as one construct, whatever it consists of. */
  within<T>(construct: string, make: () => T): T {
    this.#hiddenIn = construct
    try {
      return make()
    } finally {
      this.#hiddenIn = null
    }
  }

  below(limit: number): number {
    return this.#random.below(limit)
  }

  chance(share: number): boolean {
    return this.#random.next() < share
  }

  pick<T>(...items: readonly T[]): T {
    const item = items[this.below(items.length)]
    if (item === undefined) throw new Error('nothing to pick from')
    return item
  }

  /** Some of what `make` gives, at least `least`. */
  several(least: number, most: number, make: (index: number) => string, separator = ''): string {
    const count = least + this.below(most - least + 1)
    return Array.from({ length: count }, (_, index) => make(index)).join(separator)
  }

  /** One new number of nine digits, which is then part of the truth. */
  number(construct: string): string {
    const word = String(100_000_000 + this.below(900_000_000))
    this.words.push({ word, construct: this.#hiddenIn ?? construct, position: this.position })
    return word
  }

  /** One new word, which is then part of the truth. */
  word(construct: string): string {
    for (;;) {
      // The first letters keep it apart from every command of LaTeX, the last from every longer word.
      const accent = this.#accents.length > 0 && this.chance(0.5) ? this.pick(...this.#accents) : ''
      const word = `zq${accent}${Array.from({ length: 4 + this.below(5) }, () => LETTERS[this.below(LETTERS.length)]).join('')}q`
      if (this.#used.has(word)) continue
      this.#used.add(word)
      this.words.push({ word, construct: this.#hiddenIn ?? construct, position: this.position })
      return word
    }
  }

  phrase(construct: string, least = 2, most = 12): string {
    return this.several(least, most, () => this.word(construct), ' ')
  }
}
