export interface NearDuplicate {
  /** The first similar chunk. */
  readonly id: string
  /** Estimated Jaccard similarity of their runs of five words; its standard error is at most 0.03. */
  readonly similarity: number
}

/** Threshold of the estimated similarity of a near duplicate. */
const MIN_SIMILARITY = 0.75

/** Number of chunks whose sketches share an array. */
const BLOCK = 4096

const ID_BYTES = 16

/**
 * Finds an earlier chunk that is nearly equal (MinHash with banding). It compares chunks in a shared bucket by one byte
 * of each of their hashes. Memory: about 0.9 GB for a million chunks.
 */
export class NearDuplicates {
  readonly #sketches: Uint8Array[] = []
  readonly #ids: Buffer[] = []
  readonly #firsts = new FirstOf()
  #count = 0

  /** Returns the most similar earlier chunk, and stores this one. */
  add(id: string, words: readonly string[]): NearDuplicate | null {
    const least = minHashes(words)
    const sketch = Uint8Array.from(least, (hash) => hash & 0xff)
    const number = this.#count++
    const [block, at] = [Math.floor(number / BLOCK), number % BLOCK]
    this.#sketches[block] ??= new Uint8Array(BLOCK * HASHES)
    this.#ids[block] ??= Buffer.alloc(BLOCK * ID_BYTES)
    this.#sketches[block].set(sketch, at * HASHES)
    this.#ids[block].write(id.replaceAll('-', ''), at * ID_BYTES, 'hex')
    const candidates = new Set<number>()
    for (const bucket of bucketsOf(least)) {
      const first = this.#firsts.of(bucket, number)
      if (first !== number) candidates.add(first)
    }
    return this.#best(sketch, candidates)
  }

  #best(sketch: Uint8Array, candidates: ReadonlySet<number>): NearDuplicate | null {
    let [best, most] = [-1, MIN_SIMILARITY]
    for (const candidate of candidates) {
      const similarity = this.#similarity(sketch, candidate)
      if (similarity >= most) [best, most] = [candidate, similarity]
    }
    return best === -1 ? null : { id: this.#idOf(best), similarity: Math.round(most * 1000) / 1000 }
  }

  /** 1 of 256 bytes is equal by chance. */
  #similarity(sketch: Uint8Array, number: number): number {
    const others = this.#sketches[Math.floor(number / BLOCK)] as Uint8Array
    const from = (number % BLOCK) * HASHES
    let equal = 0
    for (let index = 0; index < HASHES; index++) if (sketch[index] === others[from + index]) equal += 1
    return Math.max(0, (equal / HASHES - 1 / 256) / (1 - 1 / 256))
  }

  #idOf(number: number): string {
    const at = (number % BLOCK) * ID_BYTES
    const hex = this.#ids[Math.floor(number / BLOCK)]?.toString('hex', at, at + ID_BYTES) ?? ''
    return hex.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-')
  }
}

/** A hash table from a bucket to its first chunk: two words each. */
class FirstOf {
  #words = new Uint32Array(2 * 1024)
  #size = 0

  /** Returns the first chunk of a bucket, which is `number` for a new bucket. */
  of(bucket: number, number: number): number {
    if (this.#size * 8 >= this.#words.length * 3) this.#grow()
    const at = slotOf(this.#words, bucket)
    if (this.#words[at + 1] !== 0) return (this.#words[at + 1] as number) - 1
    this.#words[at] = bucket
    this.#words[at + 1] = number + 1
    this.#size += 1
    return number
  }

  #grow(): void {
    const words = new Uint32Array(this.#words.length * 2)
    for (let from = 0; from < this.#words.length; from += 2) {
      if (this.#words[from + 1] !== 0)
        words.set(this.#words.subarray(from, from + 2), slotOf(words, this.#words[from] as number))
    }
    this.#words = words
  }
}

function slotOf(words: Uint32Array, bucket: number): number {
  for (let at = (bucket * 2) % words.length; ; at = (at + 2) % words.length) {
    if (words[at + 1] === 0 || words[at] === bucket) return at
  }
}

/**
 * Parameters of datatrove for FinePDFs: a pair with Jaccard similarity 0.8 shares a bucket with probability 0.97, one
 * with 0.5 with 0.03.
 */
const BUCKETS = 32
const HASHES_PER_BUCKET = 10
export const SHINGLE_WORDS = 5

const HASHES = BUCKETS * HASHES_PER_BUCKET

/** Mixes into 32 bits, each of which depends on all input bits (the finalizer of MurmurHash3). */
function mixed(value: number): number {
  let hash = Math.imul(value ^ (value >>> 16), 0x85ebca6b)
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35)
  return (hash ^ (hash >>> 16)) >>> 0
}

// Signed, like all numbers below: V8 keeps them in registers, but turns unsigned ones above 2^31 into doubles.
const MASKS = Int32Array.from({ length: HASHES }, (_, index) => mixed(index + 0x9e3779b9))
const FACTORS = Int32Array.from({ length: HASHES }, (_, index) => mixed(index + 0x51ed270b) | 1)

/** Minimum of each of 320 hash functions over all runs of five words. */
export function minHashes(words: readonly string[]): Int32Array {
  const least = new Int32Array(HASHES).fill(0x7fffffff)
  const [masks, factors] = [MASKS, FACTORS]
  for (const unsigned of shinglesOf(words)) {
    const shingle = unsigned | 0
    for (let index = 0; index < HASHES; index++) {
      let hash = Math.imul(shingle ^ (masks[index] as number), factors[index] as number)
      hash ^= hash >>> 15
      if (hash < (least[index] as number)) least[index] = hash
    }
  }
  return least
}

/** A text shorter than a run is one shingle. */
export function shinglesOf(words: readonly string[]): ReadonlySet<number> {
  const hashes = words.map(hashOf)
  const shingles = new Set<number>()
  for (let at = 0; at + SHINGLE_WORDS <= Math.max(hashes.length, SHINGLE_WORDS); at++) {
    let hash = 0
    for (let word = at; word < Math.min(at + SHINGLE_WORDS, hashes.length); word++) {
      hash = mixed(Math.imul(hash, 31) + (hashes[word] as number))
    }
    shingles.add(hash)
  }
  return shingles
}

function hashOf(word: string): number {
  let hash = 0x811c9dc5
  for (let at = 0; at < word.length; at++) hash = Math.imul(hash ^ word.charCodeAt(at), 0x01000193)
  return mixed(hash)
}

/** A hash per bucket: equal if all ten of its hashes are. */
function bucketsOf(least: Int32Array): Uint32Array {
  return Uint32Array.from({ length: BUCKETS }, (_, bucket) => {
    let hash = bucket + 1
    for (let index = 0; index < HASHES_PER_BUCKET; index++) {
      hash = mixed(Math.imul(hash, 31) + (least[bucket * HASHES_PER_BUCKET + index] as number))
    }
    return hash
  })
}
