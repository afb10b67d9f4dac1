import { assertNever } from '../assert-never.ts'
import type { List } from './office-document.ts'

const ROMAN: readonly (readonly [string, number])[] = [
  ['m', 1000],
  ['cm', 900],
  ['d', 500],
  ['cd', 400],
  ['c', 100],
  ['xc', 90],
  ['l', 50],
  ['xl', 40],
  ['x', 10],
  ['ix', 9],
  ['v', 5],
  ['iv', 4],
  ['i', 1],
]

function roman(ordinal: number): string {
  let rest = ordinal
  let text = ''
  for (const [letters, value] of ROMAN) {
    text += letters.repeat(Math.floor(rest / value))
    rest %= value
  }
  return text
}

/** Returns a … z, aa, ab, the column names of a spreadsheet. */
function alphabetic(ordinal: number): string {
  let text = ''
  for (let rest = ordinal; rest > 0; rest = Math.floor((rest - 1) / 26)) {
    text = String.fromCodePoint(97 + ((rest - 1) % 26)) + text
  }
  return text
}

/** Returns the visible label of a list item, such as `iv.`, with its full stop. Empty for a bullet. */
export function listLabel(marker: List['marker'], ordinal: number): string {
  switch (marker) {
    case 'lowerAlpha':
      return `${alphabetic(ordinal)}.`
    case 'upperAlpha':
      return `${alphabetic(ordinal).toUpperCase()}.`
    case 'lowerRoman':
      return `${roman(ordinal)}.`
    case 'upperRoman':
      return `${roman(ordinal).toUpperCase()}.`
    case 'decimal':
      return `${ordinal}.`
    case 'bullet':
      return ''
    default:
      return assertNever(marker)
  }
}
