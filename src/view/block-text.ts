import type { Block } from './read-blocks.ts'

/** Block types come from the service: only known ones get a class and a name of their own. */
const KINDS = [
  ['section_header', 'heading'],
  ['page_header', 'header'],
  ['page_footer', 'footer'],
  ['page_number', 'footer'],
  ['heading', 'heading'],
  ['title', 'title'],
  ['paragraph', 'text'],
  ['list', 'list'],
  ['table', 'table'],
  ['figure', 'figure'],
  ['image', 'figure'],
  ['formula', 'formula'],
  ['caption', 'caption'],
  ['text', 'text'],
] as const

/** Maps a type of a service to our own kind; `other` for an unknown type. */
export const kindOf = (type: string): string =>
  KINDS.find(([part]) => type.toLowerCase().includes(part))?.[1] ?? 'other'

/** `section_header` → `Section header`. */
export const nameOfType = (type: string): string => {
  const words = type.replaceAll('_', ' ').trim()
  return `${words.slice(0, 1).toUpperCase()}${words.slice(1)}`
}

/** Maximum length of a block's excerpt; the browser truncates it to its width. */
const MAX_CHARACTERS = 160

/** Excerpt of a block for its line in the list: without Markdown syntax, and for a table its size and columns. */
export function excerptOf({ type, content }: Pick<Block, 'type' | 'content'>): string {
  const text = kindOf(type) === 'table' ? tableText(content) : content
  const plain = text
    .replaceAll(/<[^>]*>/g, ' ')
    .replaceAll(/^\s*(?:#{1,6}|>|[-*+]|\d+[.)])\s+/gm, '')
    .replaceAll(/\\([!-/:-@[-`{-~])|[*`]{1,3}/g, '$1')
    .replaceAll(/\s+/g, ' ')
    .trim()
  return plain.length > MAX_CHARACTERS ? `${plain.slice(0, MAX_CHARACTERS)}…` : plain
}

/** `5 rows: Item, Planned, Spent`; content that is not a Markdown table stays unchanged. */
function tableText(content: string): string {
  const [head = '', rule = '', ...rows] = content.trim().split('\n')
  if (!/^\s*\|?[\s:|-]+$/.test(rule) || !rule.includes('-')) return content
  const columns = head
    .split(/(?<!\\)\|/)
    .map((cell) => cell.trim())
    .filter((cell) => cell !== '')
  return `${rows.length} ${rows.length === 1 ? 'row' : 'rows'}: ${columns.join(', ')}`
}
