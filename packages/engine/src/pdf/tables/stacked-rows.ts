import { median } from '../geometry/box.ts'
import { type Row, rowsOf, wordsIn } from '../geometry/rows.ts'
import { type Cell, cellText, isValue } from './grid.ts'

/** Threshold: fraction of the line height. The gap to the next line of a cell is smaller. */
const NEAR = 0.6

/** A printed line across the columns of a table. */
export interface TableLine {
  readonly cells: readonly Cell[]
  readonly y0: number
  readonly y1: number
  readonly baseline: number
}

/** A label with one of these endings continues on the next line. */
const OPEN_END = /(?:[-,/&]|\b(?:and|or|of|the|for|in|to|with|by|from|on|a|an|de|et|und))$/i

/**
 * Splits a band without lines between its rows. Several values in one column are separate rows. Several words in one
 * column are one cell with several lines.
 */
export function stackedRows(cells: readonly Cell[]): Cell[][] {
  const lines = linesOf(cells)
  if (lines.length < 2 || !holdsStackedValues(lines)) return [cells.map((cell) => cell)]
  return mergedLines(lines).map((row) => row.map((cell) => cell))
}

function linesOf(cells: readonly Cell[]): TableLine[] {
  return rowsOf(cells.flat()).map((row) => {
    const words = new Set(wordsIn(row))
    return tableLine(
      row,
      cells.map((cell) => cell.filter((word) => words.has(word))),
    )
  })
}

export function tableLine(row: Row, cells: readonly Cell[]): TableLine {
  return { cells, y0: row.y0, y1: row.y1, baseline: median(wordsIn(row).map((word) => word.baseline)) }
}

function holdsStackedValues(lines: readonly TableLine[]): boolean {
  const across = lines.filter((line) => line.cells.filter((cell) => cell.length > 0).length >= 2)
  if (across.length < 2 || across.length < lines.length * 0.35) return false
  const columns = lines[0]?.cells.length ?? 0
  return Array.from({ length: columns }, (_, column) => lines.map((line) => cellText(line.cells[column] ?? [])))
    .map((texts) => texts.filter((text) => text !== ''))
    .some((texts) => texts.filter(isValue).length >= 2 && texts.filter(isValue).length >= texts.length * 0.5)
}

/** Merges lines that continue the row above. A label or a text did not fit on one line. */
export function mergedLines(lines: readonly TableLine[]): Cell[][] {
  const rows: { cells: Cell[]; y1: number; lastY0: number }[] = []
  const capital = beginsWithCapitals(lines)
  for (const line of lines) {
    const above = rows.at(-1)
    if (above !== undefined && (continues(above, line) || (capital && goesOnInSmall(above, line)))) {
      above.cells = above.cells.map((cell, column) => [...cell, ...(line.cells[column] ?? [])])
      Object.assign(above, { y1: Math.max(above.y1, line.y1), lastY0: line.y0 })
    } else {
      rows.push({ cells: [...line.cells], y1: line.y1, lastY0: line.y0 })
    }
  }
  return rows.map((row) => row.cells)
}

/** Threshold: fraction of lines whose cells all start in lower case. Below it, they are second lines. */
const MAX_SMALL = 0.75
const SMALL = /^[\p{Ll}(]/u
const CAPITAL = /^[^\p{L}]*[\p{Lu}\p{Lo}\d]/u

const textsOf = ({ cells }: Pick<TableLine, 'cells'>): string[] => cells.map(cellText).filter((text) => text !== '')

/** True if the cells of a table start with capitals or digits. A line in lower case then continues the line above. */
function beginsWithCapitals(lines: readonly TableLine[]): boolean {
  const others = lines.filter((line) => !textsOf(line).every((text) => SMALL.test(text)))
  return (
    others[0] === lines[0] &&
    others.length >= 2 &&
    lines.length - others.length <= MAX_SMALL * lines.length &&
    others.every((line) => textsOf(line).every((text) => CAPITAL.test(text)))
  )
}

/** True if every cell of a line starts in lower case below text of the row above. */
function goesOnInSmall(above: { readonly cells: readonly Cell[]; readonly y1: number }, line: TableLine): boolean {
  if (line.y0 - above.y1 > (line.y1 - line.y0) * NEAR) return false
  return line.cells.every((cell, column) => {
    return cell.length === 0 || (SMALL.test(cellText(cell)) && (above.cells[column]?.length ?? 0) > 0)
  })
}

/**
 * Detects form fields such as `Order no.: 2024-56`, each on a separate line. A label of several lines ends on the last.
 */
export function holdsLabel({ cells }: TableLine): boolean {
  const texts = cells.map(cellText)
  return texts.some((text, column) => isLabel(text) && (texts[column + 1] ?? '') !== '')
}

export const isLabel = (text: string): boolean => /\p{L}.*[:：]$/u.test(text)

function continues(above: { readonly cells: readonly Cell[]; readonly y1: number }, line: TableLine): boolean {
  const height = line.y1 - line.y0
  const upper = above.cells.map(cellText)
  const lower = line.cells.map(cellText)
  const clash = upper.some((text, column) => isValue(text) && isValue(lower[column] ?? ''))
  if (clash) return false
  const fields = upper.some(isLabel) && lower.some((text, column) => isLabel(text) && isLabel(upper[column] ?? ''))
  if (fields) return false
  // Half a line apart, a value is centred next to a label of two lines.
  if (line.y0 < above.y1 - height * 0.3) return true
  if (line.y0 - above.y1 > height * NEAR) return false
  const label = lower[0] ?? ''
  const values = lower.slice(1).filter((text) => text !== '')
  if (label === '') return values.length > 0 && !values.some(isValue) && upper.slice(1).some((text) => text !== '')
  const openLabel = OPEN_END.test(upper[0] ?? '') || /^\p{Ll}/u.test(label)
  if (!openLabel || (upper[0] ?? '') === '') return false
  return values.length === 0 || upper.slice(1).every((text) => text === '')
}
