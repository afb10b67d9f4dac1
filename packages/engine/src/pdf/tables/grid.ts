import type { Box } from '../geometry/box.ts'
import { inReadingOrder } from '../geometry/line-text.ts'
import { rowsOf, turnedLines, wordsIn } from '../geometry/rows.ts'
import type { Word } from '../geometry/words.ts'

/**
 * A table as words in cells. A spanning cell keeps its words in its upper left position; its other positions are empty.
 */
export interface TableGrid {
  readonly kind: 'table'
  readonly box: Box
  readonly rows: readonly (readonly Cell[])[]
}

export type Cell = readonly Word[]

/** A rule of letters. */
const RULE = /^[-_=–—]{6,}$/

/** Returns the words of a cell in reading order, as one line of text. Omits leader dots and rules. */
export function cellText(cell: Cell): string {
  const turned = cell.some((word) => word.turned !== 0)
  const lines = turned ? turnedLines(cell) : rowsOf(cell).map((row) => inReadingOrder(wordsIn(row)))
  return lines
    .map((words) =>
      words
        .map((word) => (RULE.test(word.text) ? '' : word.text.replace(/\.{5,}$/, '')))
        .filter(Boolean)
        .join(' '),
    )
    .join(' ')
    .trim()
}

/** True if a cell holds a value rather than words: 1,234.5 · $8M · (12) · 45% · – · n/a. */
export function isValue(text: string): boolean {
  const compact = text.replace(/\s+/g, '')
  // A condition that continues on the next line, such as `10 <`, is not yet a value.
  if (compact === '' || /[<>≤≥＜＞=]$/.test(compact)) return false
  if (/^[-–—−.…*†]+$|^n\.?\/?a\.?$|^nil$/i.test(compact)) return true
  const letters = compact.match(/\p{L}/gu)?.length ?? 0
  return /\d/.test(compact) && letters <= 2 && compact.length <= 24
}

/** Removes rows and columns without text, and rows of rules. They are artefacts of the drawing. */
export function withoutEmpty(rows: readonly (readonly Cell[])[]): Cell[][] {
  const filled = rows.filter((row) => row.some((cell) => cell.some((word) => !RULE.test(word.text))))
  const columns = Math.max(0, ...filled.map((row) => row.length))
  const kept = Array.from({ length: columns }, (_, index) => index).filter((index) =>
    filled.some((row) => (row[index]?.length ?? 0) > 0),
  )
  return filled.map((row) => kept.map((index) => row[index] ?? []))
}
