import type { Extension } from '@sluice/contract'
import { bookSupplement } from '../books/book-supplement.ts'
import { odfSupplement } from './odf-supplement.ts'
import { OoxmlPackage } from '../ooxml/ooxml-package.ts'
import { slideSupplement } from '../slides/slide-supplement.ts'
import type { Supplement } from '../ooxml/supplement.ts'
import { wordSupplement } from '../word/word-supplement.ts'
import type { SupplementOptions } from './supplement-options.ts'
import { rtfSupplement } from '../word/rtf/rtf-supplement.ts'
import { wordBinarySupplement } from '../word/word-binary-supplement.ts'

/**
 * Returns the library's omissions from a document. Detects the format by content, because an old extension may hold a
 * new file.
 */
export function supplementOf(
  bytes: Buffer,
  extension: Extension,
  { onlyMainContent, anchors = false }: SupplementOptions,
): Supplement | null {
  const start = bytes.subarray(0, 5).toString('latin1')
  if (start === '{\\rtf') return rtfSupplement(bytes, onlyMainContent)
  if (!start.startsWith('PK')) return wordBinarySupplement(bytes, onlyMainContent)
  const container = new OoxmlPackage(bytes)
  if (extension === 'epub') return bookSupplement(container, onlyMainContent)
  if (container.parts(/^word\/document\d*\.xml$/).length > 0) return wordSupplement(container, onlyMainContent)
  if (container.parts(/^ppt\/presentation\.xml$/).length > 0) return slideSupplement(container, anchors)
  return container.parts(/^mimetype$/).length > 0 ? odfSupplement(container, { onlyMainContent, anchors }) : null
}
