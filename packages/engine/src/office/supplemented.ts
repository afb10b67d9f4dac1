import { htmlComment } from '../markup/html-comment.ts'
import type { Supplement } from '../ooxml/supplement.ts'

export interface Supplemented {
  readonly markdown: string
  /** `header` and `footer`, as far as there are any. */
  readonly metadata: Readonly<Record<string, readonly string[]>>
  readonly leftOut: readonly string[]
}

/** Share of a document's words above which headers and footers are part of what it says, as a letterhead is. */
const MUCH = 0.05

/**
 * The library's Markdown with everything that it left out. Headers and footers are always in the metadata. They are no main
 * content (contract, `onlyMainContent`): then they stand in the Markdown as comments, and only where they are much of the
 * document. A request for all of a document has them as text.
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

/** Words of at least two letters; no numbers, and no commands of LaTeX. */
const wordsOf = (texts: readonly string[]): number =>
  texts.reduce((sum, text) => sum + (text.match(/(?<![\\\p{L}])\p{L}{2,}/gu)?.length ?? 0), 0)
