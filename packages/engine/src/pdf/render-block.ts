import { literalAddress, runsScript } from '../markup/scripts-in-addresses.ts'
import { withTagsBehindAddresses } from '../markup/tags-behind-addresses.ts'
import type { LayoutBlock, Line, ListItem } from './layout/block.ts'
import { joinedText } from './geometry/line-text.ts'
import { markdownMarker } from './layout/list-marker.ts'
import { paragraphsOf } from './layout/paragraphs.ts'
import { cellText, type TableGrid } from './tables/grid.ts'

/** Renders a layout block as Markdown, a heading without its marks. Empty for a figure without recognised text. */
export function renderBlock(block: LayoutBlock, vocabulary: ReadonlySet<string>): string {
  if (block.kind === 'table') return renderTable(block)
  if (block.kind === 'figure')
    return paragraphsOf(block.lines)
      .map((part) => renderBlock(part, vocabulary))
      .join('\n\n')
  if (block.kind === 'formula') return `$$${block.latex ?? ''}$$`
  if (block.kind === 'code') return fenced(block.lines)
  if (block.kind === 'list_item') return listItem(block, vocabulary)
  const text = proseOf(block.lines, vocabulary)
  return block.kind === 'heading' ? text : withoutLeadingMark(text)
}

function proseOf(lines: readonly Line[], vocabulary: ReadonlySet<string>): string {
  return joinedText(lines.map(inlineMarkdown), vocabulary)
}

/**
 * Renders the words of a line, with links as Markdown links. Escapes characters that a Markdown parser reads as marks.
 */
function inlineMarkdown(line: Line): string {
  const runs: { link: string | null; words: string[] }[] = []
  for (const word of line) {
    const last = runs.at(-1)
    if (last !== undefined && last.link === word.link) last.words.push(escaped(word.text))
    else runs.push({ link: word.link, words: [escaped(word.text)] })
  }
  return runs.map(({ link, words }) => linked(words.join(' '), link)).join(' ')
}

function linked(text: string, link: string | null): string {
  if (link === null || /[\s<>]/.test(link) || runsScript(link)) return text
  const target = literalAddress(link).replace(/[()]/g, (character) => (character === '(' ? '%28' : '%29'))
  return `[${text.replace(/[[\]]/g, (character) => `\\${character}`)}](${target})`
}

function escaped(text: string): string {
  const marked = text.replace(/[\\*`]|<(?=[\p{L}/!?])|(?<![\p{L}\p{N}])_|_(?![\p{L}\p{N}])/gu, (mark) => `\\${mark}`)
  return withTagsBehindAddresses(marked, false)
}

/** Escapes the start of a paragraph that a Markdown parser reads as heading, list, quotation or rule. */
function withoutLeadingMark(text: string): string {
  return text
    .replace(/^(#{1,6}(?=\s|$)|>|[-+](?=\s|$)|[-=]{3,}$)/, '\\$1')
    .replace(/^(\d{1,9})([.)])(?=\s|$)/, '$1\\$2')
}

function listItem(item: ListItem, vocabulary: ReadonlySet<string>): string {
  const text = proseOf(item.lines, vocabulary)
  return text === '' ? '' : `${'  '.repeat(item.depth)}${markdownMarker(item.marker)} ${text}`
}

/** Renders lines of code, and derives their indentation from the positions on the page. */
function fenced(lines: readonly Line[]): string {
  const left = Math.min(...lines.map((line) => line[0]?.x0 ?? 0))
  const texts = lines.map((line) => {
    const [first] = line
    const advance = first === undefined ? 1 : Math.max(1, (first.x1 - first.x0) / first.text.length)
    const indent = Math.round(((first?.x0 ?? left) - left) / advance)
    return ' '.repeat(Math.min(indent, 80)) + line.map((word) => word.text).join(' ')
  })
  const longest = Math.max(2, ...[...texts.join('\n').matchAll(/`+/g)].map((run) => run[0].length))
  const fence = '`'.repeat(longest + 1)
  return `${fence}\n${texts.join('\n')}\n${fence}`
}

/** Renders a pipe table. Its first row is the header, because pipe tables require one. */
function renderTable(table: TableGrid): string {
  const lines = table.rows.map((row) => `| ${row.map((cell) => pipeSafe(cellText(cell))).join(' | ')} |`)
  const columns = table.rows[0]?.length ?? 0
  return [lines[0], `|${' --- |'.repeat(columns)}`, ...lines.slice(1)].join('\n')
}

function pipeSafe(text: string): string {
  return escaped(text).replace(/\|/g, '\\|')
}
