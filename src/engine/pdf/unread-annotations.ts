import { wordsOfText } from '../model/words-of-text.ts'
import type { PageReading } from './page-reading.ts'

/** As for unread ink: fewer letters are a mark. */
const LEAST_LETTERS = 8

/**
 * The page as it was read, with unread text where it has free text written over it that is not among its words: the library
 * reads none of it, and draws none that a viewer has to lay out.
 */
export function withUnreadAnnotations(reading: PageReading): PageReading {
  const { page, problems } = reading
  const texts = (page?.annotations ?? []).flatMap(({ subtype, contents }) =>
    subtype === 'freetext' ? [contents ?? ''] : [],
  )
  if (page === null || texts.length === 0 || problems.includes('unread_ink')) return reading
  const read = new Set(page.textItems.flatMap(({ text }) => wordsOfText(text)))
  const missing = wordsOfText(texts.join(' ')).filter((word) => !read.has(word))
  return missing.join('').length < LEAST_LETTERS ? reading : { ...reading, problems: [...problems, 'unread_ink'] }
}
