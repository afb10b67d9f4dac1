import type { Element } from 'hast'
import { attribute, isElement } from './nodes.ts'

/** Limits of the HTML standard for `colspan`; `rowspan` ends with the table anyway. */
const MAX_COLUMN_SPAN = 1_000
/** How many cells spans may add to one table in all; a table that asks for more gets its spans cut. */
const MAX_ADDED_CELLS = 20_000

/** Rows of a table, head first and foot last as a browser shows them, each with its cells. */
export function rowsOf(table: Element): (readonly Element[])[] {
  const parts = { thead: [] as Element[], tbody: [] as Element[], tfoot: [] as Element[] }
  for (const child of table.children) {
    if (isElement(child, 'tr')) parts.tbody.push(child)
    if (!isElement(child)) continue
    const { tagName } = child
    if (tagName === 'thead' || tagName === 'tbody' || tagName === 'tfoot')
      parts[tagName].push(...child.children.filter((row) => isElement(row, 'tr')))
  }
  return [...parts.thead, ...parts.tbody, ...parts.tfoot].map((row) => row.children.filter(isCell))
}

function isCell(node: Element['children'][number]): node is Element {
  return isElement(node, 'td') || isElement(node, 'th')
}

/**
 * Cells laid out on a grid. Markdown has no spans, so a cell that spans stands in every place it covers: each row can
 * then be read, and cut into chunks, without the rows above it. Rows are as long as their last cell.
 */
export function gridOf(rows: readonly (readonly Element[])[]): (Element | null)[][] {
  const grid: (Element | null)[][] = rows.map(() => [])
  let spare = MAX_ADDED_CELLS
  rows.forEach((cells, y) => {
    let x = 0
    for (const cell of cells) {
      while ((grid[y]?.[x] ?? null) !== null) x += 1
      const width = spanOf(cell, 'colSpan', MAX_COLUMN_SPAN)
      const height = spanOf(cell, 'rowSpan', rows.length - y)
      const isAffordable = width * height - 1 <= spare
      if (isAffordable) spare -= width * height - 1
      const covered = isAffordable ? grid.slice(y, y + height) : grid.slice(y, y + 1)
      for (const row of covered) fill(row, x, isAffordable ? width : 1, cell)
      x += isAffordable ? width : 1
    }
  })
  return grid
}

/** Puts a cell into its places of one row; a place that an earlier cell covers stays as it is. */
function fill(row: (Element | null)[], start: number, width: number, cell: Element): void {
  while (row.length < start) row.push(null)
  for (let x = start; x < start + width; x += 1) row[x] ??= cell
}

/** A span as the standard reads it: not a number or 0 columns is 1, 0 rows is the rest of the table. */
function spanOf(cell: Element, name: 'colSpan' | 'rowSpan', limit: number): number {
  const span = Number.parseInt(attribute(cell, name) ?? '1', 10)
  if (name === 'rowSpan' && span === 0) return limit
  return Number.isNaN(span) || span < 1 ? 1 : Math.min(span, limit)
}
