import type { TextItem } from '@llamaindex/liteparse'
import { type Box, boxOf } from '../geometry/box.ts'

/** Letters without a removable accent, and the letters that the models read instead. */
const READ_AS: Readonly<Record<string, string>> = {
  ß: 'ß|ss|B|β|8',
  ø: 'ø|o|0',
  Ø: 'Ø|O|0',
  ł: 'ł|l|t|1',
  Ł: 'Ł|L',
  æ: 'æ|ae|a',
  œ: 'œ|oe|ce|a',
  đ: 'đ|d',
}
/** Threshold: fraction of the word height. Two readings of a word are nearer. */
const NEAR = 0.7

interface Accented {
  readonly text: string
  /** Matches the models' possible readings of it. */
  readonly plain: RegExp
  readonly x: number
  readonly y: number
}

/** Adds accents from another reading to items whose words have the same position and the same base letters. */
export function withAccents(items: readonly TextItem[], other: readonly TextItem[]): readonly TextItem[] {
  const accented = other.flatMap(accentedWordsOf)
  return items.map((item) => {
    const near = accented.filter((word) => isNear(boxOf(item), word))
    if (near.length === 0) return item
    const text = near.reduce((read, word) => read.replace(word.plain, word.text), item.text.normalize('NFD'))
    return { ...item, text: text.normalize('NFC') }
  })
}

function isNear({ x0, y0, x1, y1 }: Box, { x, y }: Accented): boolean {
  const reach = NEAR * (y1 - y0)
  return x > x0 - reach && x < x1 + reach && y > y0 - reach / 2 && y < y1 + reach / 2
}

/** Returns the words of an item with letters outside English. Their widths are in proportion to their letters. */
function accentedWordsOf(item: TextItem): Accented[] {
  const text = item.text.normalize('NFC')
  return [...text.matchAll(/\p{L}+/gu)]
    .filter(([word]) => /[^a-z]/i.test(word))
    .map(({ 0: word, index }) => ({
      text: word,
      plain: plainOf(word),
      x: item.x + ((index + word.length / 2) / text.length) * item.width,
      y: item.y + item.height / 2,
    }))
}

function plainOf(word: string): RegExp {
  const letters = word.split('').map((letter) => {
    const base = letter.normalize('NFD').replace(/\p{M}/gu, '')
    return base === letter ? `(?:${READ_AS[letter] ?? letter})` : `(?:${base}\\p{M}*|[?�])`
  })
  return new RegExp(`(?<![\\p{L}\\p{M}])${letters.join('')}(?![\\p{L}\\p{M}])`, 'u')
}
