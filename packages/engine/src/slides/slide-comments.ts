import type { OoxmlPackage } from '../ooxml/ooxml-package.ts'
import { attributeOf, childOf, descendants, textOf, type XmlElement } from '../ooxml/xml-tree.ts'

/**
 * Returns the comments of a slide, `Comment by Author: text`. Supports both kinds: the comments of PowerPoint before
 * 2021, and threads.
 */
export function slideComments(ooxml: OoxmlPackage): { of(slide: string): string[] } {
  const names = authorNames(ooxml)
  return {
    of: (slide) =>
      ooxml.related(slide, 'comments').flatMap((path) => {
        const part = ooxml.xml(path)
        const comments = part === null ? [] : [...withReplies(part)]
        return comments.flatMap((comment) => sentence(comment, names))
      }),
  }
}

function* withReplies(part: XmlElement): Generator<XmlElement> {
  for (const comment of descendants(part, 'p:cm', 'p188:cm', 'p188:reply')) {
    yield comment
    yield* withReplies(comment)
  }
}

function sentence(comment: XmlElement, names: ReadonlyMap<string, string>): string[] {
  const body = childOf(comment, 'p188:txBody')
  const paragraphs = [...descendants(body ?? comment, body === undefined ? 'p:text' : 'a:p')].map((paragraph) =>
    body === undefined ? textOf(paragraph) : [...descendants(paragraph, 'a:t')].map(textOf).join(''),
  )
  const text = paragraphs.join(' ').replace(/\s+/g, ' ').trim()
  const author = names.get(attributeOf(comment, 'authorId') ?? '') ?? ''
  return text === '' ? [] : [`Comment${author === '' ? '' : ` by ${author}`}: ${text}`]
}

function authorNames(ooxml: OoxmlPackage): ReadonlyMap<string, string> {
  const names = new Map<string, string>()
  for (const path of ooxml.parts(/^ppt\/(?:commentAuthors|authors)\.xml$/)) {
    const part = ooxml.xml(path)
    if (part === null) continue
    for (const author of descendants(part, 'p:cmAuthor', 'p188:author')) {
      names.set(attributeOf(author, 'id') ?? '', (attributeOf(author, 'name') ?? '').trim())
    }
  }
  return names
}
