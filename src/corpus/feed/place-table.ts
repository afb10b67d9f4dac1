import { hash } from 'node:crypto'

const FIRST_CAPACITY = 1024

/**
 * Number of 32-bit words of a row's key: 96 bits of SHA-256, so that two of 10^9 places share a row with p < 10^-10.
 */
const KEY_WORDS = 3

/**
 * An open-addressing hash table from texts to rows of 32-bit words, in one typed array. A million rows of eight words
 * take 60 to 90 MB, for texts of any length. Rows are never removed.
 */
export class PlaceTable {
  readonly #width: number
  #words: Uint32Array
  #capacity = FIRST_CAPACITY
  #size = 0

  /** `words`: number per row, without its key. */
  constructor(words: number) {
    this.#width = KEY_WORDS + words
    this.#words = new Uint32Array(FIRST_CAPACITY * this.#width)
  }

  get size(): number {
    return this.#size
  }

  /** Returns the row of a text, created with zeros if absent; the view is valid until the next new row. */
  row(text: string): Uint32Array {
    if (this.#size * 4 >= this.#capacity * 3) this.#grow()
    const key = keyOf(text)
    const at = this.#find(this.#words, this.#capacity, key)
    if (this.#isFree(this.#words, at)) {
      this.#words.set(key, at)
      this.#size += 1
    }
    return this.#words.subarray(at + KEY_WORDS, at + this.#width)
  }

  *rows(): Generator<Uint32Array> {
    for (let at = 0; at < this.#words.length; at += this.#width) {
      if (!this.#isFree(this.#words, at)) yield this.#words.subarray(at + KEY_WORDS, at + this.#width)
    }
  }

  #find(words: Uint32Array, capacity: number, key: Uint32Array): number {
    for (let slot = (key[0] ?? 0) % capacity; ; slot = (slot + 1) % capacity) {
      const at = slot * this.#width
      const isSame = words[at] === key[0] && words[at + 1] === key[1] && words[at + 2] === key[2]
      if (isSame || this.#isFree(words, at)) return at
    }
  }

  /** The last word of a key is never zero. */
  #isFree(words: Uint32Array, at: number): boolean {
    return words[at + 2] === 0
  }

  #grow(): void {
    const capacity = this.#capacity * 2
    const words = new Uint32Array(capacity * this.#width)
    for (let from = 0; from < this.#words.length; from += this.#width) {
      if (this.#isFree(this.#words, from)) continue
      const row = this.#words.subarray(from, from + this.#width)
      words.set(row, this.#find(words, capacity, row))
    }
    this.#words = words
    this.#capacity = capacity
  }
}

function keyOf(text: string): Uint32Array {
  const key = new Uint32Array(KEY_WORDS)
  const digest = hash('sha256', text, 'buffer')
  for (let word = 0; word < KEY_WORDS; word++) key[word] = digest.readUInt32LE(word * 4)
  key[2] = (key[2] ?? 0) | 1
  return key
}

/** 64 bits of a text's SHA-256 as two words, never both zero. */
export function wordsOf(text: string): readonly [number, number] {
  const digest = hash('sha256', text, 'buffer')
  return [(digest.readUInt32LE(0) | 1) >>> 0, digest.readUInt32LE(4)]
}

/** Encodes a digest of 16 hexadecimal digits as two words of a row; two zeros for none. */
export const digestWords = (digest: string | null): readonly [number, number] =>
  digest === null ? [0, 0] : [Number.parseInt(digest.slice(0, 8), 16), Number.parseInt(digest.slice(8, 16), 16)]

/** Decodes the digest in two words of a row. */
export function digestAt(row: Uint32Array, at: number): string | null {
  const words = row.subarray(at, at + 2)
  if (words.every((word) => word === 0)) return null
  return Array.from(words, (word) => word.toString(16).padStart(8, '0')).join('')
}
