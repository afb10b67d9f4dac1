import { shared, union } from '../geometry/box.ts'
import type { Rulings } from '../geometry/rulings.ts'
import { type Cell, cellText, isValue } from './grid.ts'
import { holdsLabel, mergedLines, type TableLine } from './stacked-rows.ts'

/** Threshold: ratio of row pitch to line pitch in a cell, in tables with two pitches. */
const ROW_PITCH = 1.14

/**
 * Groups printed lines into table rows. A row ends at a rule, or at a wide gap if the table has two gap sizes.
 * Otherwise it ends at every line that does not plainly continue the line above.
 */
export function tableRows(lines: readonly TableLine[], rulings: Rulings): Cell[][] {
  const columns = valueColumns(lines)
  const body = Math.max(
    0,
    lines.findIndex(
      (line) => holdsValues(line) || holdsLabel(line) || columns.some((column) => isValueAt(line, column)),
    ),
  )
  const header = headerRows(lines.slice(0, body), rulings)
  return [...header, ...bodyRows(lines.slice(body), rulings)]
}

/** Threshold: fraction of values among the cells of a value column. */
const MOSTLY_VALUES = 0.6

const isValueAt = ({ cells }: TableLine, column: number): boolean => isValue(cellText(cells[column] ?? []))

/** Returns the columns after the labels that hold values below their title. */
function valueColumns(lines: readonly TableLine[]): number[] {
  return (lines[0]?.cells ?? []).flatMap((_, column) => {
    const filled = lines.filter(({ cells }) => (cells[column]?.length ?? 0) > 0)
    const values = filled.filter((line) => isValueAt(line, column))
    return column > 0 && values.length >= 2 && values.length >= MOSTLY_VALUES * filled.length ? [column] : []
  })
}

/** True if at least half of the cells after the label are values. */
function holdsValues(line: TableLine): boolean {
  const texts = line.cells.slice(1).map(cellText).filter(Boolean)
  return texts.length > 0 && texts.filter(isValue).length >= texts.length / 2
}

/** Lines above the first value are parts of the column titles, unless they span several columns. */
function headerRows(lines: readonly TableLine[], rulings: Rulings): Cell[][] {
  const blocks = blocksOf(lines, rulings)
  return blocks.flatMap((block) => {
    const rows: TableLine[] = []
    for (const line of block) {
      const above = rows.at(-1)
      if (above !== undefined && !standsOver(above, line)) rows[rows.length - 1] = joined(above, line)
      else rows.push(line)
    }
    return rows.map((row) => [...row.cells])
  })
}

/** True if a cell of the upper line spans two filled cells of the lower line. */
function standsOver(upper: TableLine, lower: TableLine): boolean {
  return upper.cells.some((cell) => {
    if (cell.length === 0) return false
    const box = union(cell)
    const below = lower.cells.filter((other) => {
      if (other.length === 0) return false
      const { x0, x1 } = union(other)
      return shared(box.x0, box.x1, x0, x1) > 0
    })
    return below.length >= 2
  })
}

function joined(upper: TableLine, lower: TableLine): TableLine {
  const cells = upper.cells.map((cell, column) => [...cell, ...(lower.cells[column] ?? [])])
  return { cells, y0: Math.min(upper.y0, lower.y0), y1: Math.max(upper.y1, lower.y1), baseline: lower.baseline }
}

function bodyRows(lines: readonly TableLine[], rulings: Rulings): Cell[][] {
  const blocks = blocksOf(lines, rulings)
  const wrapped =
    blocks.length > 1 && ((blocks.length * 6 >= lines.length && areRows(blocks)) || haveRaggedEnds(blocks))
  return blocks.flatMap((block) => {
    if (block.length === 1 || !wrapped || stacked(block)) return mergedLines(block)
    return labelledParts(block).map((part) => [...part.reduce(joined).cells])
  })
}

const hasLabel = ({ cells }: TableLine): boolean => (cells[0]?.length ?? 0) > 0

/**
 * Splits a block with several labels. After lines without a label, a line with one starts another row. A lone label may
 * be in the middle of its row.
 */
function labelledParts(block: readonly TableLine[]): TableLine[][] {
  const begins = block.map((line, index) => {
    const before = block[index - 1]
    return (
      hasLabel(line) &&
      (before === undefined || !hasLabel(before)) &&
      line.cells.slice(1).some((cell) => cell.length > 0)
    )
  })
  if (begins.filter(Boolean).length < 2) return [[...block]]
  const parts: TableLine[][] = []
  for (const [index, line] of block.entries()) {
    if (begins[index] === true || parts.length === 0) parts.push([line])
    else parts.at(-1)?.push(line)
  }
  return parts
}

/** True if blocks are rows: their later lines mostly have no label, or only a label. */
function areRows(blocks: readonly (readonly TableLine[])[]): boolean {
  const others = blocks.flatMap((block) => block.slice(1))
  const parts = others.filter(
    ({ cells }) => (cells[0]?.length ?? 0) === 0 || cells.slice(1).every((cell) => cell.length === 0),
  )
  return parts.length >= others.length * 0.7
}

/** Threshold: fraction of tall blocks with ragged ends. In the others, all cells may end on the same line. */
const MAX_RAGGED = 0.5

/**
 * True if blocks have the shape of rows of long texts. Each cell starts on the first line of its block and continues
 * without a gap, and some end before others. Separate rows fill their cells evenly, line by line.
 */
function haveRaggedEnds(blocks: readonly (readonly TableLine[])[]): boolean {
  const tall = blocks.filter((block) => block.length > 1)
  const ragged = tall.filter((block) => {
    const heights = block[0]?.cells.map((_, column) => heightIn(block, column)) ?? []
    const filled = heights.filter((height) => height !== 0)
    return filled.length > 1 && filled.every((height) => height > 0) && Math.min(...filled) < Math.max(...filled)
  })
  return tall.length > 1 && ragged.length >= MAX_RAGGED * tall.length
}

/** Returns the number of lines from the top of a block that a column fills. -1 if it has a gap. */
function heightIn(block: readonly TableLine[], column: number): number {
  const isFilled = block.map(({ cells }) => (cells[column]?.length ?? 0) > 0)
  const height = isFilled.indexOf(false) < 0 ? block.length : isFilled.indexOf(false)
  return isFilled.lastIndexOf(true) < height ? height : -1
}

/** True if one column stacks several values. The lines are then rows, at any gap. */
function stacked(block: readonly TableLine[]): boolean {
  const columns = block[0]?.cells.length ?? 0
  return Array.from({ length: columns }, (_, column) =>
    block.filter((line) => isValue(cellText(line.cells[column] ?? []))),
  ).some((values) => values.length >= 2)
}

/** Groups lines without a rule or a wide gap between them. */
function blocksOf(lines: readonly TableLine[], rulings: Rulings): TableLine[][] {
  const pitches = lines.slice(1).map((line, index) => line.baseline - (lines[index]?.baseline ?? 0))
  const limit = rowPitch(pitches)
  const blocks: TableLine[][] = []
  for (const [index, line] of lines.entries()) {
    const before = lines[index - 1]
    const apart = before === undefined || (pitches[index - 1] ?? 0) > limit || ruled(before, line, rulings)
    if (apart) blocks.push([line])
    else blocks.at(-1)?.push(line)
  }
  return blocks
}

/** Returns the pitch that separates rows from lines of one row, at the widest jump in the sorted pitches. */
function rowPitch(pitches: readonly number[]): number {
  const sorted = pitches.filter((pitch) => pitch > 0).sort((a, b) => a - b)
  const jumps = sorted.slice(1).map((pitch, index) => ({ at: index, ratio: pitch / (sorted[index] ?? pitch) }))
  const inner = jumps.filter(({ at }) => at < sorted.length - 1 && at >= Math.floor(sorted.length * 0.15) - 1)
  const widest = inner.sort((a, b) => b.ratio - a.ratio)[0]
  if (widest === undefined || widest.ratio < ROW_PITCH) return Number.POSITIVE_INFINITY
  return ((sorted[widest.at] ?? 0) + (sorted[widest.at + 1] ?? 0)) / 2
}

function ruled(upper: TableLine, lower: TableLine, rulings: Rulings): boolean {
  const box = union([...upper.cells.flat(), ...lower.cells.flat()])
  const [top, bottom] = [(upper.y0 + upper.y1) / 2, (lower.y0 + lower.y1) / 2]
  return rulings.horizontal.some(
    (rule) =>
      rule.at > top && rule.at < bottom && shared(rule.start, rule.end, box.x0, box.x1) > 0.6 * (box.x1 - box.x0),
  )
}
