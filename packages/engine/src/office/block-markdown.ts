import { assertNever } from '../assert-never.ts'
import { asCell, escapeLineStart } from '../markup/escape-markdown.ts'
import { fenced } from '../markup/fenced.ts'
import { renderInlines } from './inline-markdown.ts'
import { withJoinedLists } from './joined-lists.ts'
import { listLabel } from './list-label.ts'
import type { Block, Cell, List, ListItem, Table } from './office-document.ts'
import { pipeTable } from '../markup/pipe-table.ts'
import type { Rendering } from './rendering.ts'

const indent = (markdown: string, by: string): string => markdown.replace(/\n(?!\n|$)/g, `\n${by}`)
const quote = (markdown: string): string => markdown.replace(/^(?=.)/gm, '> ').replace(/^$/gm, '>')

function originCells(table: Table): Cell[] {
  return table.grid.flat().flatMap((slot) => (slot.cell === undefined ? [] : [slot.cell]))
}

/**
 * True for a frame around text: a table of one cell, or one that the library marks as layout. Its content replaces it.
 */
function isFrame(table: Table): boolean {
  if (table.kind === 'layout') return true
  let cells = 0
  for (const row of table.grid) for (const { cell } of row) if (cell !== undefined && (cells += 1) > 1) return false
  return cells === 1
}

function renderTable(table: Table, rendering: Rendering): string {
  if (isFrame(table)) {
    return originCells(table)
      .map((cell) => renderBlocks(cell.blocks, rendering))
      .filter((markdown) => markdown !== '')
      .join('\n\n')
  }
  const rows = table.grid.map((row) =>
    row.map(({ cell }) => (cell === undefined ? '' : asCell(renderCell(cell.blocks, rendering)))),
  )
  return rows.every((row) => row.every((cell) => cell === '')) ? '' : pipeTable(rows)
}

/** Renders the blocks of a cell, one line each. Markdown has no lists or tables in cells. */
function renderCell(blocks: readonly Block[], rendering: Rendering): string {
  return blocks
    .map((block) => {
      if (block.kind === 'table' && block.table !== undefined) return nestedRows(block.table, rendering)
      if (block.kind === 'list' && block.list !== undefined) return cellList(block.list, rendering)
      if (block.blocks !== undefined) return renderCell(block.blocks, rendering)
      const text = block.text ?? renderInlines(block.content ?? [], rendering, block.kind === 'heading').trim()
      return block.kind === 'paragraph' ? asTask(text) : text
    })
    .filter((line) => line !== '')
    .join('\n')
}

function nestedRows(table: Table, rendering: Rendering): string {
  const texts = table.grid.map((row) =>
    row.flatMap(({ cell }) => (cell === undefined ? [] : [renderCell(cell.blocks, rendering).replace(/\n/g, ' ')])),
  )
  return texts.map((row) => row.filter((text) => text !== '').join(' / ')).join('\n')
}

function cellList(list: List, rendering: Rendering): string {
  return list.items
    .map((item, index) => {
      const label = item.markerLabel ?? listLabel(list.marker, list.start + index)
      return `${label === '' ? '-' : label} ${renderCell(item.blocks, rendering).replace(TASK_ITEM, '')}`
    })
    .join('\n')
}

const TASK_ITEM = /^- (?=\[[ x]\] )/

/** Renders a paragraph with a leading box as a task: an item of a list, unless it already is one. */
function asTask(paragraph: string): string {
  const task = taskOf(paragraph)
  return task === null ? paragraph : `- ${indent(task, '  ')}`
}

function renderItem(list: List, item: ListItem, index: number, rendering: Rendering): string | null {
  const rendered = renderBlocks(item.blocks, rendering, true)
  const content = item.blocks[0]?.kind === 'paragraph' ? rendered.replace(TASK_ITEM, '') : rendered
  if (content === '') return null
  const label = item.markerLabel ?? listLabel(list.marker, list.start + index)
  const marker = /^\d+\.$/.test(label) && item.markerLabel === undefined ? label : '-'
  const box = item.checked === undefined ? '' : `[${item.checked ? 'x' : ' '}] `
  // Markdown counts only in decimal numbers. Any other label is text of a bullet.
  const shown = marker === '-' && label !== '' ? `${escapeLineStart(label)} ` : ''
  return `${marker} ${box}${shown}${indent(content, ' '.repeat(marker.length + 1))}`
}

function renderList(list: List, rendering: Rendering): string {
  const items = list.items.map((item, index) => renderItem(list, item, index, rendering))
  return items.filter((item) => item !== null).join('\n')
}

function renderBlock(block: Block, rendering: Rendering): string {
  switch (block.kind) {
    case 'heading': {
      const text = renderInlines(block.content ?? [], rendering, true)
        .replace(/\\?\n/g, ' ')
        .trim()
      return text === '' ? '' : `${'#'.repeat(block.level ?? 1)} ${text}`
    }
    case 'paragraph':
      return asTask(escapeLineStart(renderInlines(block.content ?? [], rendering).trim()))
    case 'list':
      return block.list === undefined ? '' : renderList(block.list, rendering)
    case 'table':
      return block.table === undefined ? '' : renderTable(block.table, rendering)
    case 'blockQuote':
      return quote(renderBlocks(block.blocks ?? [], rendering))
    case 'codeBlock':
      return fenced(block.text ?? '', block.lang)
    case 'rule':
      return '---'
    default:
      return assertNever(block.kind)
  }
}

/** Renders blocks as Markdown, without empty ones. `tight` keeps a list directly below its text. */
export function renderBlocks(blocks: readonly Block[], rendering: Rendering, tight = false): string {
  let markdown = ''
  for (const block of withJoinedLists(blocks)) {
    const rendered = renderBlock(block, rendering)
    if (rendered === '') continue
    const gap = tight && block.kind === 'list' ? '\n' : '\n\n'
    markdown += (markdown === '' ? '' : gap) + rendered
  }
  return markdown
}

/** Matches a form's box, empty, ticked or crossed, before its label. */
const BOX = /^([☐☑☒🗹🗷])\s*(?=\S)/u
const ANY_BOX = /[☐☑☒🗹🗷]/gu

/**
 * Returns a paragraph with a single leading box as a GFM task without its bullet. Null for any other. Several boxes in
 * a line remain characters, because each labels a part of it.
 */
function taskOf(markdown: string): string | null {
  const box = BOX.exec(markdown)
  if (box === null || (markdown.match(ANY_BOX)?.length ?? 0) > 1) return null
  return `[${box[1] === '☐' ? ' ' : 'x'}] ${markdown.slice(box[0].length)}`
}
