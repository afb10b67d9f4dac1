import { median } from '../geometry/box.ts'
import { sizeOf } from '../geometry/rows.ts'
import { type Cell, cellText } from './grid.ts'
import type { TableLine } from './stacked-rows.ts'

const MIN_ROWS = 4
/** Threshold: fraction of lines with both key and value, aligned with the other lines. */
const NEARLY_ALL = 0.85
const LONGEST_KEY = 40
const MAX_KEY_WORDS = 5
/** Threshold in characters. Values are short, or end at different lengths. Lines of prose fill their width. */
const LONGEST_VALUE = 60
const LINE_CHARACTERS = 24
const MAX_FULL = 0.5
const ALIGNED_POINTS = 3
/** Threshold in font sizes: the gap between the longest key and the values. */
const MIN_GAP = 1.5
const KEY = /^[\p{Lu}\p{N}(]/u
/** Matches the end of a sentence, of a hyphenated word, or of an unfinished list. */
const OPEN = /[.!?;,-]$/

/**
 * Detects a fact sheet: keys in one column and values in the next, line by line, without rules or colons. Lines of two
 * text columns continue on the next line, and fill their width.
 */
export function isKeyValues(lines: readonly TableLine[]): boolean {
  if (lines.some(({ cells }) => cells.length !== 2)) return false
  const both = lines.filter(({ cells: [key = [], value = []] }) => key.length > 0 && value.length > 0)
  if (both.length < MIN_ROWS || both.length < lines.length * NEARLY_ALL) return false
  const [keys, values] = [both.map(({ cells }) => cells[0] ?? []), both.map(({ cells }) => cells[1] ?? [])]
  if (!isAligned(keys) || !isAligned(values)) return false
  const gap = Math.min(...values.map(leftOf)) - Math.max(...keys.map(rightOf))
  if (gap < MIN_GAP * sizeOf(keys.flat())) return false
  const width = Math.max(...values.map(rightOf)) - Math.min(...values.map(leftOf))
  const full = values.filter(
    (value) => rightOf(value) - leftOf(value) > 0.85 * width && cellText(value).length >= LINE_CHARACTERS,
  )
  return keys.every(isKey) && values.every(isShort) && full.length <= MAX_FULL * values.length
}

/** Each line is a row. A line without a key continues the value above. */
export function keyValueRows(lines: readonly TableLine[]): Cell[][] {
  const rows: Cell[][] = []
  for (const { cells } of lines) {
    const above = rows.at(-1)
    if ((cells[0] ?? []).length > 0 || above === undefined) rows.push([...cells])
    else above[1] = [...(above[1] ?? []), ...(cells[1] ?? [])]
  }
  return rows
}

const leftOf = (cell: Cell): number => Math.min(...cell.map((word) => word.x0))
const rightOf = (cell: Cell): number => Math.max(...cell.map((word) => word.x1))

function isAligned(cells: readonly Cell[]): boolean {
  const edge = median(cells.map(leftOf))
  return cells.filter((cell) => Math.abs(leftOf(cell) - edge) <= ALIGNED_POINTS).length >= NEARLY_ALL * cells.length
}

function isKey(cell: Cell): boolean {
  const text = cellText(cell)
  return text.length <= LONGEST_KEY && cell.length <= MAX_KEY_WORDS && KEY.test(text) && !OPEN.test(text)
}

function isShort(cell: Cell): boolean {
  const text = cellText(cell)
  return text.length <= LONGEST_VALUE && !/[-,;]$/.test(text)
}
