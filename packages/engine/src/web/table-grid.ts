import type { Element } from 'hast'
import { attribute, isElement } from './nodes.ts'

/** Limit of the HTML standard for `colspan`. A `rowspan` ends with the table anyway. */
const MAX_COLUMN_SPAN = 1_000
/** Maximum number of cells that spans may add to a table. Above it the spans are cut. */
const MAX_ADDED_CELLS = 20_000

/** Returns the rows of a table with their cells, head first and foot last as in a browser. */
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
 * Lays out cells on a grid. Markdown has no spans, so a spanning cell is repeated in every position. Each row is then
 * readable, and can be split into chunks, without the rows above. Rows are as long as their last cell.
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

/** Fills a cell into its positions of a row. Positions of an earlier cell remain. */
function fill(row: (Element | null)[], start: number, width: number, cell: Element): void {
  while (row.length < start) row.push(null)
  for (let x = start; x < start + width; x += 1) row[x] ??= cell
}

/** Parses a span by the standard. An invalid number or 0 columns is 1, 0 rows is the rest of the table. */
function spanOf(cell: Element, name: 'colSpan' | 'rowSpan', limit: number): number {
  const span = Number.parseInt(attribute(cell, name) ?? '1', 10)
  if (name === 'rowSpan' && span === 0) return limit
  return Number.isNaN(span) || span < 1 ? 1 : Math.min(span, limit)
}
