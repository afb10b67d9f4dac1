import { escapeInline } from '../escape-markdown.ts'
import type { OoxmlPackage } from './ooxml-package.ts'
import { attributeOf, descendants } from './xml-tree.ts'
import { wordParagraphs } from './word-text.ts'

export interface WordComment {
  /** Of its footnote: `c1`. */
  readonly label: string
  /** The footnote: `[^c1]: Author: text`. */
  readonly note: string
}

/** Comments by their id, numbered from 1 in the order of the file; those without text are left out. */
export function commentsOf(ooxml: OoxmlPackage, main: string): ReadonlyMap<string, WordComment> {
  const found = new Map<string, WordComment>()
  for (const path of ooxml.related(main, 'comments')) {
    const part = ooxml.xml(path)
    for (const comment of part === null ? [] : descendants(part, 'w:comment')) {
      const text = wordParagraphs(comment).join('\n\n    ')
      if (text === '') continue
      const label = `c${found.size + 1}`
      const author = (attributeOf(comment, 'author') ?? '').replace(/\s+/g, ' ').trim()
      const said = author === '' ? '' : `${escapeInline(author)}: `
      found.set(attributeOf(comment, 'id') ?? label, { label, note: `[^${label}]: ${said}${text}` })
    }
  }
  return found
}
