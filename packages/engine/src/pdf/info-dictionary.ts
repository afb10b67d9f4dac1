import type { PdfMetadata } from './pdf-metadata.ts'
import { stringOf } from './structure/pdf-string.ts'

const KEYS = { title: 'Title', description: 'Subject', keywords: 'Keywords', author: 'Author' } as const

/**
 * Reads title, subject, keywords and author from the document information dictionary (PDF 1.7, section 14.3.3). The PDF
 * library does not return it. Empty if an object stream holds the dictionary. Such files mostly have XMP.
 */
export function infoDictionary(file: Buffer): PdfMetadata {
  const reference = lastMatch(
    file.toString('latin1', Math.max(0, file.length - TRAILER_BYTES)),
    /\/Info\s+(\d+)\s+(\d+)\s+R/g,
  )
  if (reference === null) return {}
  const start = file.lastIndexOf(`\n${reference[1]} ${reference[2]} obj`)
  if (start < 0) return {}
  const dictionary = file.toString('latin1', start, start + DICTIONARY_BYTES).split('endobj', 1)[0] ?? ''
  const entries = Object.entries(KEYS).map(([name, key]) => [name, stringOf(dictionary, key)] as const)
  return Object.fromEntries(entries.filter(([, value]) => value !== ''))
}

/** Search window in bytes. The trailer is at the end of the file, and each update appends one. */
const TRAILER_BYTES = 2048
const DICTIONARY_BYTES = 8192

function lastMatch(text: string, pattern: RegExp): RegExpExecArray | null {
  return [...text.matchAll(pattern)].at(-1) ?? null
}
