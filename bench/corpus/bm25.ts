/** Okapi BM25 over short texts, with the usual k1 and b. */
export class Bm25 {
  readonly #lengths: number[] = []
  readonly #postings = new Map<string, Map<number, number>>()
  #total = 0

  constructor(texts: readonly string[]) {
    texts.forEach((text, index) => {
      const words = wordsOf(text)
      this.#lengths.push(words.length)
      this.#total += words.length
      for (const word of words) {
        const posting = this.#postings.get(word) ?? new Map<number, number>()
        posting.set(index, (posting.get(index) ?? 0) + 1)
        this.#postings.set(word, posting)
      }
    })
  }

  /** Indexes of the best texts, best first. */
  best(query: string, count: number): readonly number[] {
    const scores = new Map<number, number>()
    const mean = this.#total / this.#lengths.length
    for (const word of new Set(wordsOf(query))) {
      const posting = this.#postings.get(word)
      if (posting === undefined) continue
      const rarity = Math.log(1 + (this.#lengths.length - posting.size + 0.5) / (posting.size + 0.5))
      for (const [index, times] of posting) {
        const share = (times * 2.2) / (times + 1.2 * (0.25 + (0.75 * (this.#lengths[index] ?? 0)) / mean))
        scores.set(index, (scores.get(index) ?? 0) + rarity * share)
      }
    }
    const ranked = [...scores].toSorted(([one, a], [other, b]) => b - a || one - other)
    return ranked.slice(0, count).map(([index]) => index)
  }
}

const wordsOf = (text: string): string[] => text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []
