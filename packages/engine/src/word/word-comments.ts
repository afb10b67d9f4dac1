import { escapeInline } from '../markup/escape-markdown.ts'
import { reviewComment } from '../markup/html-comment.ts'
import type { Insertion } from '../ooxml/placeholders.ts'
import type { OoxmlPackage } from '../ooxml/ooxml-package.ts'
import { attributeOf, descendants } from '../ooxml/xml-tree.ts'
import { wordParagraphs } from './word-text.ts'

export interface WordComment {
  /** Replacement at the position of the comment. */
  readonly mark: Insertion
  /** Its footnote at the end of the document, `[^c1]: Author: text`. Null if it follows its block instead. */
  readonly note: string | null
}

/**
 * Returns comments with text by their id. They are outside the main content. In that mode they become a comment of the
 * Markdown after their block. Otherwise they are footnotes, numbered from 1 in file order.
 */
export function commentsOf(
  ooxml: OoxmlPackage,
  main: string,
  onlyMainContent: boolean,
): ReadonlyMap<string, WordComment> {
  const found = new Map<string, WordComment>()
  for (const path of ooxml.related(main, 'comments')) {
    const part = ooxml.xml(path)
    for (const comment of part === null ? [] : descendants(part, 'w:comment')) {
      const paragraphs = wordParagraphs(comment)
      if (paragraphs.length === 0) continue
      const label = `c${found.size + 1}`
      const author = escapeInline((attributeOf(comment, 'author') ?? '').replace(/\s+/g, ' ').trim())
      const said = `${author === '' ? '' : `${author}: `}${paragraphs.join('\n\n    ')}`
      found.set(
        attributeOf(comment, 'id') ?? label,
        onlyMainContent
          ? { mark: { block: null, inline: '', aside: reviewComment(author, paragraphs.join(' ')) }, note: null }
          : { mark: { block: null, inline: `[^${label}]` }, note: `[^${label}]: ${said}` },
      )
    }
  }
  return found
}
