import { median, shared, union } from '../layout/box.ts'
import type { Rulings } from '../layout/rulings.ts'
import { type Cell, cellText, isValue } from './grid.ts'
import { mergedLines, type TableLine } from './stacked-rows.ts'

/** Gaps between rows are this much wider than those between the lines of one cell, where a table shows it at all. */
const ROW_GAP = 1.6
const LEAST_GAP_POINTS = 1.5

/**
 * The rows of a table out of its lines of print. What ends a row: a rule, a wider gap where the table has two kinds of
 * gaps, else every line that does not plainly continue the one above it.
 */
export function tableRows(lines: readonly TableLine[], rulings: Rulings): Cell[][] {
  const body = Math.max(
    0,
    lines.findIndex((line) => line.cells.slice(1).some((cell) => isValue(cellText(cell)))),
  )
  const header = headerRows(lines.slice(0, body), rulings)
  return [...header, ...bodyRows(lines.slice(body), rulings)]
}

/** Lines above the first value: each is part of the column titles, unless it stands over several of them. */
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

/** Whether a cell of the upper line stretches over two filled cells of the lower one. */
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
  return { cells, y0: Math.min(upper.y0, lower.y0), y1: Math.max(upper.y1, lower.y1) }
}

function bodyRows(lines: readonly TableLine[], rulings: Rulings): Cell[][] {
  const blocks = blocksOf(lines, rulings)
  const wrapped = blocks.some((block) => block.length > 1) && blocks.length > 1
  return blocks.flatMap((block) => {
    if (block.length === 1 || !wrapped || stacked(block)) return mergedLines(block)
    return [[...block.reduce(joined).cells]]
  })
}

/** Several values below each other in one column: the lines are rows, however near they stand. */
function stacked(block: readonly TableLine[]): boolean {
  const columns = block[0]?.cells.length ?? 0
  return Array.from({ length: columns }, (_, column) =>
    block.filter((line) => isValue(cellText(line.cells[column] ?? []))),
  ).some((values) => values.length >= 2)
}

/** Lines that stand together: no rule and no wide gap between them. */
function blocksOf(lines: readonly TableLine[], rulings: Rulings): TableLine[][] {
  const distances = lines.slice(1).map((line, index) => line.y0 - (lines[index]?.y1 ?? 0))
  const usual = quartile(distances)
  const limit = usual + Math.max(LEAST_GAP_POINTS, (ROW_GAP - 1) * Math.abs(usual))
  const blocks: TableLine[][] = []
  for (const [index, line] of lines.entries()) {
    const before = lines[index - 1]
    const apart = before === undefined || (distances[index - 1] ?? 0) > limit || ruled(before, line, rulings)
    if (apart) blocks.push([line])
    else blocks.at(-1)?.push(line)
  }
  return blocks
}

function quartile(values: readonly number[]): number {
  const middle = median(values)
  return median(values.filter((value) => value <= middle))
}

function ruled(upper: TableLine, lower: TableLine, rulings: Rulings): boolean {
  const box = union([...upper.cells.flat(), ...lower.cells.flat()])
  const [top, bottom] = [(upper.y0 + upper.y1) / 2, (lower.y0 + lower.y1) / 2]
  return rulings.horizontal.some(
    (rule) =>
      rule.at > top && rule.at < bottom && shared(rule.start, rule.end, box.x0, box.x1) > 0.6 * (box.x1 - box.x0),
  )
}
