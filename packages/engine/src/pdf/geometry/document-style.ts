import { median } from './box.ts'
import type { Word } from './words.ts'

/** Baseline style of a document. Headings and notes differ from it. */
export interface DocumentStyle {
  /** Font size of most letters, in points. */
  readonly bodySize: number
  /** Threshold of font weight for bold, 100 to 900 as in CSS. Above 900 if bold is not distinctive. */
  readonly boldWeight: number
  /** Lower-case words from inside lines. A lookup here decides if a hyphen at a line end belongs to the word. */
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
    // Sizes of recognised words scatter around the true size. Their median is nearer to it than their mode.
    bodySize: recognised.length * 2 > words.length ? median(recognised.map((word) => word.size)) : usual,
    boldWeight: boldWeight(weights),
    vocabulary: new Set(words.map((word) => bare(word.text))),
  }
}

const BOLD = 600
/** Threshold of weight difference. Text this much bolder is distinctive, such as Medium headings over Light text. */
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

/** Returns a lower-case word without surrounding punctuation. */
export function bare(text: string): string {
  return text.toLowerCase().replace(/^[^\p{L}\p{N}]+|[^\p{L}\p{N}]+$/gu, '')
}
