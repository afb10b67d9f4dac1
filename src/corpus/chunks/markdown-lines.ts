import type { Span } from './chunk.ts'

/** A line without its line break. */
export interface Line {
  readonly start: number
  readonly end: number
  /** Offset of its first character other than space or tab; `end` without one. */
  readonly text: number
  readonly isBlank: boolean
}

/** Rest of the line from `from` on; null after the last one. */
export function lineAt(text: string, from: number): Line | null {
  if (from >= text.length) return null
  const newline = text.indexOf('\n', from)
  const start = text.lastIndexOf('\n', from - 1) + 1
  return make(text, from === 0 ? 0 : start, newline === -1 ? text.length : newline)
}

export function lineAfter(text: string, { end }: Line): Line | null {
  if (end + 1 >= text.length) return null
  const newline = text.indexOf('\n', end + 1)
  return make(text, end + 1, newline === -1 ? text.length : newline)
}

function make(text: string, start: number, end: number): Line {
  let at = start
  while (at < end && isSpace(text.charCodeAt(at))) at += 1
  return { start, end, text: at, isBlank: at === end || text.slice(at, end).trim() === '' }
}

const isSpace = (code: number): boolean => code === 32 || code === 9

/** Maximum indent: a line with more is code or belongs to a list. */
const MAX_INDENT = 3

const indentOf = ({ start, text }: Line): number => text - start

/** Level of an ATX heading, else 0. */
export function headingOf(text: string, line: Line): number {
  if (text[line.text] !== '#' || indentOf(line) > MAX_INDENT) return 0
  let at = line.text
  while (text[at] === '#') at += 1
  const level = at - line.text
  const next = text[at]
  return level <= 6 && (at >= line.end || next === ' ' || next === '\t') ? level : 0
}

export const isFence = (text: string, line: Line): boolean =>
  indentOf(line) <= MAX_INDENT && (text.startsWith('```', line.text) || text.startsWith('~~~', line.text))

/** `- `, `* `, `+ `, `1. ` or `1) `, at any indent. */
export function isListItem(text: string, line: Line): boolean {
  const first = text[line.text] ?? ''
  if (first === '-' || first === '*' || first === '+') return isGap(text, line.text + 1, line) && !isRule(text, line)
  if (first < '0' || first > '9') return false
  let at = line.text
  while (at < line.end && at - line.text < 9 && (text[at] ?? '') >= '0' && (text[at] ?? '') <= '9') at += 1
  return (text[at] === '.' || text[at] === ')') && isGap(text, at + 1, line)
}

const isGap = (text: string, at: number, { end }: Line): boolean => at >= end || text[at] === ' ' || text[at] === '\t'

/** `---`, `***`, `* * *`. */
export function isRule(text: string, line: Line): boolean {
  const first = text[line.text]
  if (first !== '-' && first !== '*' && first !== '_') return false
  if (line.end - line.text > 200) return false
  return /^(?:-[ \t]*){3,}$|^(?:\*[ \t]*){3,}$|^(?:_[ \t]*){3,}$/.test(text.slice(line.text, line.end).trimEnd())
}

/** Text that the option `pageMarkers` inserts between pages. */
export const PAGE_MARKER = /(?:---\s+)?<!-- page \d+ -->/g

export function isPageMarker(text: string, line: Line): boolean {
  if (text.startsWith('<!-- page ', line.text)) return /^<!-- page \d+ -->\s*$/.test(text.slice(line.text, line.end))
  if (!text.startsWith('---', line.text) || line.end - line.text > 4) return false
  return /^---\s+<!-- page \d+ -->/.test(text.slice(line.text, line.text + 60))
}

/** The first two lines of a table. */
interface TableHead {
  readonly header: Span
  readonly delimiter: Span
}

/** True if the second line has only pipes, hyphens, colons and spaces, with as many cells as the first. */
export function isDelimiterAt(text: string, { header, delimiter }: TableHead): boolean {
  const pipe = text.indexOf('|', header[0])
  if (pipe === -1 || pipe >= header[1] || !isDelimiter(text, delimiter)) return false
  return columnsOf(text.slice(...header)) === columnsOf(text.slice(...delimiter))
}

const columnsOf = (row: string): number =>
  row
    .trim()
    .replace(/^\|/, '')
    .replace(/(?<!\\)\|$/, '')
    .replaceAll(/\\./gs, '')
    .split('|').length

function isDelimiter(text: string, [start, end]: Span): boolean {
  let hyphens = 0
  let pipes = 0
  for (let at = start; at < end; at++) {
    const code = text.charCodeAt(at)
    if (code === 45) hyphens += 1
    else if (code === 124) pipes += 1
    else if (code !== 58 && code !== 32 && code !== 9 && code !== 13) return false
  }
  return hyphens > 0 && pipes > 0
}

/** True for a line that ends a table without a blank line: it starts another block. */
export const isBreakOfTable = (text: string, line: Line): boolean =>
  text[line.text] !== '|' &&
  (headingOf(text, line) > 0 ||
    isFence(text, line) ||
    isQuote(text, line) ||
    isRule(text, line) ||
    isPageMarker(text, line) ||
    opensHtml(text, line) ||
    (indentOf(line) <= MAX_INDENT && isListItem(text, line)))

export const isQuote = (text: string, line: Line): boolean => text[line.text] === '>' && indentOf(line) <= MAX_INDENT

export const opensComment = (text: string, line: Line): boolean =>
  text.startsWith('<!--', line.text) && indentOf(line) <= MAX_INDENT

export const opensHtml = (text: string, line: Line): boolean =>
  text[line.text] === '<' && indentOf(line) <= MAX_INDENT && /[a-z/!]/i.test(text[line.text + 1] ?? '')
