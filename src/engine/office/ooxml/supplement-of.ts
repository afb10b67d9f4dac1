import type { Extension } from '#src/document/formats.ts'
import { OoxmlPackage } from './ooxml-package.ts'
import { slideSupplement } from './slide-supplement.ts'
import type { Supplement } from './supplement.ts'
import { wordSupplement } from './word-supplement.ts'

/** Null for what is no Word document or presentation in OOXML, by its content: an old extension may hold a new file. */
export function supplementOf(bytes: Buffer, extension: Extension): Supplement | null {
  if (bytes.subarray(0, 2).toString('latin1') !== 'PK') return null
  if (extension === 'odt' || extension === 'odp' || extension === 'epub') return null
  const ooxml = new OoxmlPackage(bytes)
  if (ooxml.parts(/^word\/document\d*\.xml$/).length > 0) return wordSupplement(ooxml)
  return ooxml.parts(/^ppt\/presentation\.xml$/).length > 0 ? slideSupplement(ooxml) : null
}

/** Share of a document's words above which headers and footers are part of what it says, as a letterhead is. */
const MUCH = 0.05

export interface Supplemented {
  readonly markdown: string
  /** `header` and `footer`, as far as there are any. */
  readonly metadata: Readonly<Record<string, readonly string[]>>
  readonly leftOut: readonly string[]
}

/**
 * The library's Markdown with everything that it left out. Running headers and footers are no main content (contract,
 * `onlyMainContent`) and stand in the metadata only, unless they are much of the document, as in a letter of one page.
 */
export function supplemented(written: string, supplement: Supplement, onlyMainContent: boolean): Supplemented {
  const body = [supplement.placeholders.expand(written), ...supplement.after].filter((part) => part.trim() !== '')
  const isNew = (paragraph: string): boolean => !body.some((part) => part.includes(paragraph))
  const [headers, footers] = [supplement.headers.filter(isNew), supplement.footers.filter(isNew)]
  const metadata = {
    ...(headers.length > 0 ? { header: headers } : {}),
    ...(footers.length > 0 ? { footer: footers } : {}),
  }
  const isMuch = wordsOf([...headers, ...footers]) > MUCH * (wordsOf(body) + wordsOf([...headers, ...footers]))
  const markdown = (onlyMainContent && !isMuch ? body : [...headers, ...body, ...footers]).join('\n\n')
  return { markdown, metadata, leftOut: supplement.leftOut }
}

/** Words of at least two letters; no numbers, and no commands of LaTeX. */
const wordsOf = (texts: readonly string[]): number =>
  texts.reduce((sum, text) => sum + (text.match(/(?<![\\\p{L}])\p{L}{2,}/gu)?.length ?? 0), 0)
