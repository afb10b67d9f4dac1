import { median } from './box.ts'
import type { Word } from './words.ts'

/** What is usual in a document; headings and notes are recognised by how they differ from it. */
export interface DocumentStyle {
  /** Font size of most letters, in points. */
  readonly bodySize: number
  /** Letters of this weight and more stand out as bold: by CSS 100 to 900, above 900 where bold says nothing. */
  readonly boldWeight: number
  /** Words as printed within lines, in lower case: they show whether a hyphen at a line's end is part of a word. */
  readonly vocabulary: ReadonlySet<string>
}

export function documentStyle(words: readonly Word[]): DocumentStyle {
  const letters = new Map<number, number>()
  const weights = new Map<number, number>()
  for (const word of words) {
    const size = Math.round(word.size * 2) / 2
    letters.set(size, (letters.get(size) ?? 0) + word.text.length)
    weights.set(word.weight, (weights.get(word.weight) ?? 0) + word.text.length)
  }
  const recognised = words.filter((word) => word.confidence !== null)
  const usual = [...letters].sort((a, b) => b[1] - a[1])[0]?.[0] ?? 10
  return {
    // Sizes of recognised words scatter around the true one: their middle is nearer to it than their peak.
    bodySize: recognised.length * 2 > words.length ? median(recognised.map((word) => word.size)) : usual,
    boldWeight: boldWeight(weights),
    vocabulary: new Set(words.map((word) => bare(word.text))),
  }
}

const BOLD = 600
/** A weight this much above the text's stands out: Medium headings over Light text. */
const STANDS_OUT = 200
const MOSTLY = 0.7

function boldWeight(letters: ReadonlyMap<number, number>): number {
  const sorted = [...letters].sort((a, b) => a[0] - b[0])
  const all = sorted.reduce((sum, [, count]) => sum + count, 0)
  let lighter = 0
  const [usual = 400] =
    sorted.find(([, count]) => {
      lighter += count
      return lighter > (1 - MOSTLY) * all
    }) ?? []
  return usual >= BOLD ? usual + STANDS_OUT : Math.min(BOLD, usual + STANDS_OUT)
}

/** A word without the punctuation around it, in lower case. */
export function bare(text: string): string {
  return text.toLowerCase().replace(/^[^\p{L}\p{N}]+|[^\p{L}\p{N}]+$/gu, '')
}
