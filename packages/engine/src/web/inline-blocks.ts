import type { List, ListItem, Nodes, PhrasingContent, RootContent, TableRow } from 'mdast'

const BREAK: PhrasingContent = { type: 'break' }

/**
 * Converts blocks to a single run of inline content, for a container such as a table cell. Paragraphs become lines,
 * list items lines with their marker, code its lines. Only the block structure is lost.
 */
export function inlineOf(nodes: readonly RootContent[]): PhrasingContent[] {
  const lines: PhrasingContent[][] = []
  let run: PhrasingContent[] = []
  const endRun = (): void => {
    if (run.some((node) => node.type !== 'text' || node.value.trim() !== '')) lines.push(run)
    run = []
  }
  for (const node of nodes) {
    const blocks = linesOf(node)
    if (blocks === null) run.push(node as PhrasingContent)
    else {
      endRun()
      lines.push(...blocks)
    }
  }
  endRun()
  return lines
    .map(trimBreaks)
    .filter((line) => line.length > 0)
    .flatMap((line, index) => (index === 0 ? line : [BREAK, ...line]))
}

/** Returns the lines of a block, or null for an inline node. */
function linesOf(node: Nodes): PhrasingContent[][] | null {
  if (node.type === 'paragraph' || node.type === 'heading') return [node.children]
  if (node.type === 'blockquote') return node.children.map((child) => inlineOf([child]))
  if (node.type === 'list') return node.children.map((item, index) => itemLine(node, item, index))
  if (node.type === 'listItem') return [[text('- '), ...inlineOf(node.children)]]
  if (node.type === 'table') return node.children.map(rowLine)
  if (node.type === 'thematicBreak') return []
  if (node.type !== 'code') return null
  const code = node.value.split('\n').filter((line) => line.trim() !== '')
  return code.map((value) => [{ type: 'inlineCode', value }])
}

function rowLine(row: TableRow): PhrasingContent[] {
  return row.children.flatMap((cell, index) => (index === 0 ? cell.children : [text(' / '), ...cell.children]))
}

function itemLine(list: List, item: ListItem, index: number): PhrasingContent[] {
  const mark = list.ordered ? `${(list.start ?? 1) + index}. ` : '- '
  return [text(mark), ...inlineOf(item.children)]
}

function trimBreaks(line: readonly PhrasingContent[]): PhrasingContent[] {
  const first = line.findIndex((node) => node.type !== 'break')
  const last = line.findLastIndex((node) => node.type !== 'break')
  return first < 0 ? [] : line.slice(first, last + 1)
}

function text(value: string): PhrasingContent {
  return { type: 'text', value }
}
