import { Readability } from '@mozilla/readability'
import type { Root } from 'hast'
import { toHtml } from 'hast-util-to-html'
import { parseHTML } from 'linkedom'
import { parseHtmlFragment } from './parse-html.ts'

/** Readability walks the page several times; above this it would take longer than a page is worth. */
const MAX_ELEMENTS = 100_000

/**
 * The article of a page, by the rules of Firefox's reader view, or null where there is none. The page is written out and
 * read again by linkedom: its own HTML parser is not the standard's, so it is given markup that parse5 has put in order.
 */
export function articleOf(page: Root): Root | null {
  const { document } = parseHTML(toHtml(page))
  try {
    const article = new Readability(document, { keepClasses: true, maxElemsToParse: MAX_ELEMENTS }).parse()
    return article?.content ? parseHtmlFragment(article.content) : null
  } catch (error) {
    if (error instanceof Error && /too many elements|Aborting parsing/i.test(error.message)) return null
    throw error
  }
}
