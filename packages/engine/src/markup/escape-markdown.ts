import { withTagsBehindAddresses } from './tags-behind-addresses.ts'

/** Characters that start or end inline markup. An underscore within a word is harmless. */
const INLINE = /[\\`*[\]<]|&(?=#?\w+;)|(?<![\p{L}\p{N}])_|_(?![\p{L}\p{N}])|~(?=~)|(?<=~)~/gu

/** Line starts that form a heading, a list item, a quote, a rule or a fence. */
const LINE_START = /^(\s*)(#{1,6}(?=\s|$)|[-+](?=\s|$)|>|={2,}\s*$|-{2,}\s*$)/gm
const ORDERED_START = /^(\s*\d{1,9})([.)])(?=\s|$)/gm

/**
 * Escapes text so that Markdown renders exactly that text. At the start of a line it also needs `escapeLineStart`.
 * `follows` is true if other text precedes it.
 */
export function escapeInline(text: string, follows = false): string {
  return withTagsBehindAddresses(text.replace(INLINE, String.raw`\$&`), follows)
}

/** Line starts that at least one of the patterns changes. */
const CHANGED_START = /^\s*[-#+>=\d]/m

export function escapeLineStart(markdown: string): string {
  if (!CHANGED_START.test(markdown)) return markdown
  return markdown.replace(LINE_START, String.raw`$1\$2`).replace(ORDERED_START, String.raw`$1\$2`)
}

/** Formats a table cell as one line, because a pipe or a line break ends it. */
export function asCell(markdown: string): string {
  return markdown
    .trim()
    .replace(/\\?\r?\n\s*/g, '<br>')
    .replace(/(?<!\\)\|/g, String.raw`\|`)
}
