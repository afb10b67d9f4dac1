import type { TextItem } from '@llamaindex/liteparse'
import { type Box, boxOf } from '../geometry/box.ts'

/** The models read these letters, which have no accent to take off, as one of those. */
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
/** Two readings of a word lie apart by no more than this share of its height. */
const NEAR = 0.7

interface Accented {
  readonly text: string
  /** Matches what the models may have read of it. */
  readonly plain: RegExp
  readonly x: number
  readonly y: number
}

/** Items with the accents that words of another reading have, whose letters are the same but for these, at the same place. */
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

/** Words of an item with letters beyond those of English; its width is shared out by letters. */
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
