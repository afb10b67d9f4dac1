import { median } from './box.ts'
import type { Word } from './words.ts'

/** What is usual in a document; headings and notes are told by how they differ from it. */
export interface DocumentStyle {
  /** Font size of most letters, in points. */
  readonly bodySize: number
  /** Most letters are bold: then bold says nothing. */
  readonly mostlyBold: boolean
  /** Words as printed within lines, in lower case: they tell whether a hyphen at a line's end is part of a word. */
  readonly vocabulary: ReadonlySet<string>
}

export function documentStyle(words: readonly Word[]): DocumentStyle {
  const letters = new Map<number, number>()
  let [all, bold] = [0, 0]
  for (const word of words) {
    const size = Math.round(word.size * 2) / 2
    letters.set(size, (letters.get(size) ?? 0) + word.text.length)
    all += word.text.length
    if (word.bold) bold += word.text.length
  }
  const recognised = words.filter((word) => word.confidence !== null)
  const usual = [...letters].sort((a, b) => b[1] - a[1])[0]?.[0] ?? 10
  return {
    // Sizes of recognised words scatter around the true one: their middle is nearer to it than their peak.
    bodySize: recognised.length * 2 > words.length ? median(recognised.map((word) => word.size)) : usual,
    mostlyBold: bold > all * 0.7,
    vocabulary: new Set(words.map((word) => bare(word.text))),
  }
}

/** A word without the punctuation around it, in lower case. */
export function bare(text: string): string {
  return text.toLowerCase().replace(/^[^\p{L}\p{N}]+|[^\p{L}\p{N}]+$/gu, '')
}
