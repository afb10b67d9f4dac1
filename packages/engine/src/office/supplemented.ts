import { htmlComment } from '../markup/html-comment.ts'
import type { Supplement } from '../ooxml/supplement.ts'

export interface Supplemented {
  readonly markdown: string
  /** `header` and `footer`, if present. */
  readonly metadata: Readonly<Record<string, readonly string[]>>
  readonly leftOut: readonly string[]
}

/**
 * Threshold: fraction of a document's words. Above it, headers and footers are part of its content, such as a
 * letterhead.
 */
const MUCH = 0.05

/**
 * Adds the omissions to the library's Markdown. Headers and footers are always in the metadata. They are outside the
 * main content (contract, `onlyMainContent`). In that mode the Markdown has them as comments, and only if they are much
 * of the document. A request for the complete document gets them as text.
 */
export function supplemented(written: string, supplement: Supplement, onlyMainContent: boolean): Supplemented {
  const body = [supplement.placeholders.expand(written), ...supplement.after].filter((part) => part.trim() !== '')
  const isNew = (paragraph: string): boolean => !body.some((part) => part.includes(paragraph))
  const [headers, footers] = [supplement.headers.filter(isNew), supplement.footers.filter(isNew)]
  const metadata = {
    ...(headers.length > 0 ? { header: headers } : {}),
    ...(footers.length > 0 ? { footer: footers } : {}),
  }
  const marginal = wordsOf([...headers, ...footers])
  const isMuch = marginal > 0 && marginal > MUCH * (wordsOf(body) + marginal)
  const parts = !onlyMainContent
    ? [...headers, ...body, ...footers]
    : isMuch
      ? [...comment('header', headers), ...body, ...comment('footer', footers)]
      : body
  return { markdown: parts.join('\n\n'), metadata, leftOut: supplement.leftOut }
}

const comment = (name: string, paragraphs: readonly string[]): string[] =>
  paragraphs.length === 0 ? [] : [htmlComment(name, paragraphs.join(' | '))]

/** Counts words of two letters or more, without numbers and LaTeX commands. */
const wordsOf = (texts: readonly string[]): number =>
  texts.reduce((sum, text) => sum + (text.match(/(?<![\\\p{L}])\p{L}{2,}/gu)?.length ?? 0), 0)
