import type { Block } from './read-blocks.ts'

/** Types are the service's: only known ones become a class and have a name of their own. */
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

/** Which of our own kinds a type of a service is; `other` for one that we do not know. */
export const kindOf = (type: string): string =>
  KINDS.find(([part]) => type.toLowerCase().includes(part))?.[1] ?? 'other'

/** `section_header` → `Section header`. */
export const nameOfType = (type: string): string => {
  const words = type.replaceAll('_', ' ').trim()
  return `${words.slice(0, 1).toUpperCase()}${words.slice(1)}`
}

/** Characters of a block that its line shows at most; the browser cuts it to its width. */
const MOST_CHARACTERS = 160

/** What a block says, for its line in the list: without the signs of Markdown, and of a table its size and columns. */
export function excerptOf({ type, content }: Pick<Block, 'type' | 'content'>): string {
  const text = kindOf(type) === 'table' ? tableText(content) : content
  const plain = text
    .replaceAll(/<[^>]*>/g, ' ')
    .replaceAll(/^\s*(?:#{1,6}|>|[-*+]|\d+[.)])\s+/gm, '')
    .replaceAll(/\\([!-/:-@[-`{-~])|[*`]{1,3}/g, '$1')
    .replaceAll(/\s+/g, ' ')
    .trim()
  return plain.length > MOST_CHARACTERS ? `${plain.slice(0, MOST_CHARACTERS)}…` : plain
}

/** `5 rows: Item, Planned, Spent`; a table that is no table of Markdown stays as it is. */
function tableText(content: string): string {
  const [head = '', rule = '', ...rows] = content.trim().split('\n')
  if (!/^\s*\|?[\s:|-]+$/.test(rule) || !rule.includes('-')) return content
  const columns = head
    .split(/(?<!\\)\|/)
    .map((cell) => cell.trim())
    .filter((cell) => cell !== '')
  return `${rows.length} ${rows.length === 1 ? 'row' : 'rows'}: ${columns.join(', ')}`
}
