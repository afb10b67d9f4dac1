import type { Element } from 'hast'
import type { State } from 'hast-util-to-mdast'
import type { BlockContent, PhrasingContent, RootContent, Table, TableRow } from 'mdast'
import { inlineOf } from './inline-blocks.ts'
import { attribute, elementsOf, isElement, textOf } from './nodes.ts'
import { gridOf, rowsOf } from './table-grid.ts'

/** Threshold in characters. A cell with more text in several paragraphs is a column of a page, not a value. */
const LAYOUT_CELL_CHARACTERS = 1_000

/**
 * Converts a table to GFM. Its first row is the header, because GFM requires one, and the caption is a paragraph before
 * it. Cells of a layout table become normal content, one after another.
 */
export function tableToMdast(state: State, table: Element): RootContent[] {
  const rows = rowsOf(table).filter((cells) => cells.length > 0)
  if (isLayout(table, rows)) return state.toFlow(rows.flat().flatMap((cell) => state.toFlow(state.all(cell))))
  const contents = new Map<Element, PhrasingContent[]>(rows.flat().map((cell) => [cell, inlineOf(state.all(cell))]))
  const lines: TableRow[] = gridOf(rows).map((line) => ({
    type: 'tableRow',
    children: line.map((cell) => ({ type: 'tableCell', children: cell === null ? [] : (contents.get(cell) ?? []) })),
  }))
  const filled = lines.filter((line) => line.children.some((cell) => cell.children.length > 0))
  if (filled.length === 0) return []
  const columns = filled.reduce((most, line) => Math.max(most, line.children.length), 0)
  const align = Array.from({ length: columns }, (_, column) => alignmentOf(rows[0]?.[column]))
  const result: Table = { type: 'table', align, children: filled }
  return [...captionOf(state, table), result]
}

function captionOf(state: State, table: Element): BlockContent[] {
  const captions = table.children.filter((child) => isElement(child, 'caption'))
  return state.toFlow(captions.flatMap((caption) => (isElement(caption) ? state.all(caption) : []))) as BlockContent[]
}

function alignmentOf(cell: Element | undefined): 'left' | 'right' | 'center' | null {
  const align = cell === undefined ? null : attribute(cell, 'align')
  return align === 'left' || align === 'right' || align === 'center' ? align : null
}

function isLayout(table: Element, rows: readonly (readonly Element[])[]): boolean {
  const role = attribute(table, 'role')
  if (role === 'presentation' || role === 'none') return true
  const cells = rows.flat()
  if (cells.length <= 1) return true
  if (cells.some((cell) => cell.tagName === 'th') || table.children.some((child) => isElement(child, 'caption')))
    return false
  if (cells.some((cell) => elementsOf(cell, (element) => /^(?:h[1-6]|table)$/.test(element.tagName)).length > 0))
    return true
  return cells.some((cell) => {
    const paragraphs = elementsOf(cell, (element) => element.tagName === 'p')
    return paragraphs.length > 2 && textOf(cell).length > LAYOUT_CELL_CHARACTERS
  })
}
