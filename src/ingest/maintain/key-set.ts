import { hash } from 'node:crypto'

const FIRST_CAPACITY = 1024

/**
 * A set of names that takes 8 bytes each (64 bits of a hash), so that millions fit beside a worker. It may take a name
 * that was never added for one that was, once in 10^12 for a million names: use it only where that does no harm.
 */
export class KeySet {
  #hashes = new BigUint64Array(FIRST_CAPACITY)
  #length = 0
  #sorted = true

  /** Names added; one that was added twice counts twice. */
  get size(): number {
    return this.#length
  }

  add(name: string): void {
    if (this.#length === this.#hashes.length) {
      const wider = new BigUint64Array(this.#hashes.length * 2)
      wider.set(this.#hashes)
      this.#hashes = wider
    }
    this.#hashes[this.#length] = hashOf(name)
    this.#length += 1
    this.#sorted = false
  }

  has(name: string): boolean {
    if (!this.#sorted) this.#hashes.subarray(0, this.#length).sort()
    this.#sorted = true
    const wanted = hashOf(name)
    let low = 0
    let high = this.#length
    while (low < high) {
      const middle = (low + high) >>> 1
      if ((this.#hashes[middle] ?? 0n) < wanted) low = middle + 1
      else high = middle
    }
    return low < this.#length && this.#hashes[low] === wanted
  }
}

const hashOf = (name: string): bigint => hash('md5', name, 'buffer').readBigUInt64LE()
