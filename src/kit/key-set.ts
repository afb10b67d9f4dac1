const FIRST_CAPACITY = 1024

/**
 * A set of names that takes 8 bytes each (64 bits of a hash), so that millions fit into a worker. Like a Bloom filter
 * it has false positives: once in 10^12 for a million names. Use it only if a false positive does no harm.
 */
export class KeySet {
  #hashes = new BigUint64Array(FIRST_CAPACITY)
  /** A view of the same memory: the low word of each hash, then the high word. */
  #words = new Uint32Array(this.#hashes.buffer)
  #length = 0
  #sorted = true

  /** Number of added names; a repeated name counts twice. */
  get size(): number {
    return this.#length
  }

  /** Parses the output of `bytes`; null for anything else. */
  static of(bytes: Uint8Array): KeySet | null {
    if (bytes.length % 8 !== 0) return null
    const set = new KeySet()
    set.#hashes = new BigUint64Array(Uint8Array.from(bytes).buffer)
    set.#words = new Uint32Array(set.#hashes.buffer)
    set.#length = set.#hashes.length
    set.#sorted = false
    return set
  }

  bytes(): Uint8Array {
    return new Uint8Array(this.#hashes.buffer, 0, 8 * this.#length)
  }

  add(name: string): void {
    if (this.#length === this.#hashes.length) {
      const wider = new BigUint64Array(Math.max(FIRST_CAPACITY, this.#hashes.length * 2))
      wider.set(this.#hashes)
      this.#hashes = wider
      this.#words = new Uint32Array(wider.buffer)
    }
    const [high, low] = hashOf(name)
    this.#words[2 * this.#length] = low
    this.#words[2 * this.#length + 1] = high
    this.#length += 1
    this.#sorted = false
  }

  has(name: string): boolean {
    if (!this.#sorted) this.#hashes.subarray(0, this.#length).sort()
    this.#sorted = true
    const [high, low] = hashOf(name)
    let first = 0
    let last = this.#length
    while (first < last) {
      const middle = (first + last) >>> 1
      const highThere = this.#words[2 * middle + 1] ?? 0
      if (highThere < high || (highThere === high && (this.#words[2 * middle] ?? 0) < low)) first = middle + 1
      else last = middle
    }
    return first < this.#length && this.#words[2 * first + 1] === high && this.#words[2 * first] === low
  }
}

/** Two 32-bit multiplicative hashes, mixed at the end (cyrb53): a tenth of the time of MD5. */
function hashOf(name: string): readonly [high: number, low: number] {
  let one = 0xdeadbeef
  let other = 0x41c6ce57
  for (let at = 0; at < name.length; at++) {
    const unit = name.charCodeAt(at)
    one = Math.imul(one ^ unit, 2_654_435_761)
    other = Math.imul(other ^ unit, 1_597_334_677)
  }
  one = Math.imul(one ^ (one >>> 16), 2_246_822_507) ^ Math.imul(other ^ (other >>> 13), 3_266_489_909)
  other = Math.imul(other ^ (other >>> 16), 2_246_822_507) ^ Math.imul(one ^ (one >>> 13), 3_266_489_909)
  return [other >>> 0, one >>> 0]
}
