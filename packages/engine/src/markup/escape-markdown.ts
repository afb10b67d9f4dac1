import { withTagsBehindAddresses } from './tags-behind-addresses.ts'

/** Characters that would begin or end something inside a line. An underscore within a word is harmless. */
const INLINE = /[\\`*[\]<]|&(?=#?\w+;)|(?<![\p{L}\p{N}])_|_(?![\p{L}\p{N}])|~(?=~)|(?<=~)~/gu

/** What would make a line a heading, a list item, a quote, a rule or a fence. */
const LINE_START = /^(\s*)(#{1,6}(?=\s|$)|[-+](?=\s|$)|>|={2,}\s*$|-{2,}\s*$)/gm
const ORDERED_START = /^(\s*\d{1,9})([.)])(?=\s|$)/gm

/**
 * Text of a document as Markdown that shows exactly that text. Needs `escapeLineStart` where it opens a line; `follows`: other
 * text stands before it.
 */
export function escapeInline(text: string, follows = false): string {
  return withTagsBehindAddresses(text.replace(INLINE, String.raw`\$&`), follows)
}

/** How a line begins that one of them changes. */
const CHANGED_START = /^\s*[-#+>=\d]/m

export function escapeLineStart(markdown: string): string {
  if (!CHANGED_START.test(markdown)) return markdown
  return markdown.replace(LINE_START, String.raw`$1\$2`).replace(ORDERED_START, String.raw`$1\$2`)
}

/** A table cell is one line, and a pipe ends it. */
export function asCell(markdown: string): string {
  return markdown
    .trim()
    .replace(/\\?\r?\n\s*/g, '<br>')
    .replace(/(?<!\\)\|/g, String.raw`\|`)
}
