/** As datatrove has it for FinePDFs: a pair with Jaccard similarity 0.8 shares a bucket with probability 0.97, one with 0.5 with 0.03. */
const BUCKETS = 32
const HASHES_PER_BUCKET = 10
export const SHINGLE_WORDS = 5

export const HASHES = BUCKETS * HASHES_PER_BUCKET

/** 32 bits, all of which depend on all of those given (the finalizer of MurmurHash3). */
function mixed(value: number): number {
  let hash = Math.imul(value ^ (value >>> 16), 0x85ebca6b)
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35)
  return (hash ^ (hash >>> 16)) >>> 0
}

// Signed, as all numbers below: V8 keeps them in registers, where unsigned ones above 2^31 become doubles.
const MASKS = Int32Array.from({ length: HASHES }, (_, index) => mixed(index + 0x9e3779b9))
const FACTORS = Int32Array.from({ length: HASHES }, (_, index) => mixed(index + 0x51ed270b) | 1)

/** The least value of each of 320 hash functions over all runs of five words. */
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

/** Fewer words than a run has are one shingle. */
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

/** One number for each bucket: equal where all ten of its hashes are. */
export function bucketsOf(least: Int32Array): Uint32Array {
  return Uint32Array.from({ length: BUCKETS }, (_, bucket) => {
    let hash = bucket + 1
    for (let index = 0; index < HASHES_PER_BUCKET; index++) {
      hash = mixed(Math.imul(hash, 31) + (least[bucket * HASHES_PER_BUCKET + index] as number))
    }
    return hash
  })
}
