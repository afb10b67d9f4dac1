import type { Line } from './block.ts'

const BULLET = /^[•▪◦●○■□▫◆◇▸►➢➤✓✔❖‣∙·⁃]$/u
/** Markers that are also words or punctuation. They start an item only at a possible line start. */
const WEAK_BULLET = /^[-–—*o]$/
const NUMBER = /^\(?(?:\d{1,3}|[a-zA-Z]|[ivxlc]{1,5})[.)]$/
/** A marker without a space before its text: `•First`, `1.First`. */
const GLUED = /^([•▪◦●○■□‣∙]|(?:\d{1,2}[.)]|[a-z]\))(?=\p{Lu}\p{Ll}))(.+)$/u

/** True if a line is a single bullet. Its item is slightly lower or higher, as a separate line. */
export const isLoneBullet = (line: Line): boolean => line.length === 1 && BULLET.test(line[0]?.text ?? '')

export interface MarkedLine {
  readonly marker: string
  /** The line without its marker. */
  readonly rest: Line
}

/** Parses the list marker at the start of a line. `free` is true if the position allows an item to start. */
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

/** Converts a marker to Markdown. Numbers remain, other markers become bullets, and letters stay in the text. */
export function markdownMarker(marker: string): string {
  if (/^\d{1,9}[.)]$/.test(marker)) return marker
  return /[\p{L}\d]/u.test(marker) && marker !== 'o' ? `- ${marker}` : '-'
}
