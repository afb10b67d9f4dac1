import type { LayoutBlock, LayoutCell } from '@llamaindex/liteparse'

/** A layout block as Markdown; empty for what has no text of its own (figures, rules). */
export function renderBlock(block: LayoutBlock): string {
  switch (block.kind) {
    case 'heading':
      return heading(block.level ?? 2, block.text ?? '')
    case 'paragraph':
      return emphasised(block)
    case 'list_item':
      return listItem(block)
    case 'code':
      return fenced(block.lines ?? [], block.lang ?? '')
    case 'grid_fallback':
      return (block.lines ?? [])
        .map((line) => line.trim())
        .filter(Boolean)
        .join('\n')
    case 'table':
      return table(block.header ?? [], block.rows ?? [])
    case 'rule':
    case 'figure':
      break
  }
  return ''
}

function heading(level: number, text: string): string {
  const line = text.trim().replace(/\s+/g, ' ')
  return line === '' ? '' : `${'#'.repeat(Math.min(6, Math.max(1, level)))} ${line}`
}

function emphasised(block: LayoutBlock): string {
  const text = (block.text ?? '').trim()
  if (text === '') return ''
  const mark = '*'.repeat((block.bold === true ? 2 : 0) + (block.italic === true ? 1 : 0))
  return `${mark}${text}${mark}`
}

function listItem(block: LayoutBlock): string {
  const text = (block.text ?? '').trim()
  if (text === '') return ''
  const marker = block.ordered === true ? (block.marker ?? '1.') : '-'
  return `${'  '.repeat(block.level ?? 0)}${marker} ${text}`
}

function fenced(lines: readonly string[], language: string): string {
  const longest = Math.max(
    2,
    ...lines
      .join('\n')
      .matchAll(/`+/g)
      .map((run) => run[0].length),
  )
  const fence = '`'.repeat(longest + 1)
  return `${fence}${language}\n${lines.join('\n')}\n${fence}`
}

function table(header: readonly LayoutCell[], rows: readonly (readonly LayoutCell[])[]): string {
  const grid = [header, ...rows].filter((row) => row.some((cell) => cell.text.trim() !== ''))
  const columns = Math.max(0, ...grid.map((row) => row.length))
  if (columns === 0) return ''
  const lines = grid.map((row) => {
    const cells = Array.from({ length: columns }, (_, index) => cellText(row[index]))
    return `| ${cells.join(' | ')} |`
  })
  return [lines[0], `|${' --- |'.repeat(columns)}`, ...lines.slice(1)].join('\n')
}

/** A cell is one line, and a bar in it is escaped: the library leaves both to the caller. */
function cellText(cell: LayoutCell | undefined): string {
  return (cell?.text ?? '')
    .trim()
    .replace(/\s+/g, ' ')
    .replace(/(?<!\\)\|/g, '\\|')
}
