import type { Line } from './block.ts'

const BULLET = /^[•▪◦●○■□▫◆◇▸►➢➤✓✔❖‣∙·⁃]$/u
/** Also words or punctuation: they start an item only where a line can start one. */
const WEAK_BULLET = /^[-–—*o]$/
const NUMBER = /^\(?(?:\d{1,3}|[a-zA-Z]|[ivxlc]{1,5})[.)]$/
/** A marker that touches its text: `•First`, `1.First`. */
const GLUED = /^([•▪◦●○■□‣∙]|(?:\d{1,2}[.)]|[a-z]\))(?=\p{Lu}\p{Ll}))(.+)$/u

/** Whether a line is nothing but a bullet: its item stands a little lower or higher, as a line of its own. */
export const isLoneBullet = (line: Line): boolean => line.length === 1 && BULLET.test(line[0]?.text ?? '')

export interface MarkedLine {
  readonly marker: string
  /** The line without its marker. */
  readonly rest: Line
}

/** The list marker that a line starts with. `free` says whether a line may start an item here by its place. */
export function markedLine(line: Line, free: boolean): MarkedLine | null {
  const [first, ...rest] = line
  if (first === undefined) return null
  if (rest.length > 0) {
    if (BULLET.test(first.text)) return { marker: '•', rest }
    if (free && (WEAK_BULLET.test(first.text) || NUMBER.test(first.text))) return { marker: first.text, rest }
  }
  const glued = GLUED.exec(first.text)
  const [, marker = '', tail = ''] = glued ?? []
  if (glued === null || (!free && /\d/.test(marker))) return null
  return { marker, rest: [{ ...first, text: tail }, ...rest] }
}

/** The marker in Markdown: numbers stay what they are, everything else is a bullet, letters kept in the text. */
export function markdownMarker(marker: string): string {
  if (/^\d{1,9}[.)]$/.test(marker)) return marker
  return /[\p{L}\d]/u.test(marker) && marker !== 'o' ? `- ${marker}` : '-'
}
