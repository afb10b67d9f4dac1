import { escapeInline } from '../markup/escape-markdown.ts'
import { reviewComment } from '../markup/html-comment.ts'
import type { Insertion } from '../ooxml/placeholders.ts'
import type { OoxmlPackage } from '../ooxml/ooxml-package.ts'
import { attributeOf, descendants } from '../ooxml/xml-tree.ts'
import { wordParagraphs } from './word-text.ts'

export interface WordComment {
  /** What stands where the comment is. */
  readonly mark: Insertion
  /** Its footnote at the end of the document, `[^c1]: Author: text`; null where it stands beside its block. */
  readonly note: string | null
}

/**
 * Comments by their id; those without text are left out. They are no main content: then they stand in a comment of the
 * Markdown after their block, else they are footnotes, numbered from 1 in the order of the file.
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
