import { escapeInline, escapeLineStart } from './escape-markdown.ts'

/** Placeholder for a page number in the text of a header. */
export const PAGE_NUMBER = '\u0000'
/** Threshold in letters. A shorter paragraph with a page number only counts pages. */
const COUNTS_PAGES = 12

/** Renders lines of text as paragraphs of Markdown, without duplicates. Omits lines that only count pages. */
export function plainParagraphs(texts: readonly string[]): string[] {
  const paragraphs = texts
    .flatMap((text) => text.split('\n'))
    .flatMap((line) => {
      const text = line.replaceAll(PAGE_NUMBER, '').replace(/\s+/g, ' ').trim()
      const countsPages = line.includes(PAGE_NUMBER) && text.replace(/[^\p{L}\p{N}]/gu, '').length <= COUNTS_PAGES
      return text === '' || countsPages ? [] : [escapeLineStart(escapeInline(text))]
    })
  return [...new Set(paragraphs)]
}
