import { readFile } from 'node:fs/promises'
import type { PdfMetadata } from './pdf-metadata.ts'

const KEYS = { title: 'Title', description: 'Subject', keywords: 'Keywords', author: 'Author' } as const

/**
 * Title, subject, keywords and author out of the classic document information dictionary (PDF 1.7, section 14.3.3), which
 * the PDF library does not give. Empty where the dictionary is packed into an object stream; such files mostly have XMP.
 */
export async function infoDictionary(path: string): Promise<PdfMetadata> {
  const file = await readFile(path)
  const reference = lastMatch(
    file.toString('latin1', Math.max(0, file.length - TRAILER_BYTES)),
    /\/Info\s+(\d+)\s+(\d+)\s+R/g,
  )
  if (reference === null) return {}
  const start = file.lastIndexOf(`\n${reference[1]} ${reference[2]} obj`)
  if (start < 0) return {}
  const dictionary = file.toString('latin1', start, start + DICTIONARY_BYTES).split('endobj', 1)[0] ?? ''
  const entries = Object.entries(KEYS).map(([name, key]) => [name, valueOf(dictionary, key)] as const)
  return Object.fromEntries(entries.filter(([, value]) => value !== ''))
}

/** The trailer stands at the end of the file; an update appends one more. */
const TRAILER_BYTES = 2048
const DICTIONARY_BYTES = 8192

function lastMatch(text: string, pattern: RegExp): RegExpExecArray | null {
  return [...text.matchAll(pattern)].at(-1) ?? null
}

function valueOf(dictionary: string, key: string): string {
  const literal = new RegExp(`/${key}\\s*\\(((?:\\\\[\\s\\S]|[^\\\\()])*)\\)`).exec(dictionary)?.[1]
  if (literal !== undefined) return decoded(unescaped(literal))
  const hex = new RegExp(`/${key}\\s*<([\\da-fA-F\\s]+)>`).exec(dictionary)?.[1]
  return hex === undefined ? '' : decoded(Buffer.from(hex.replace(/\s+/g, ''), 'hex').toString('latin1'))
}

const ESCAPES: Readonly<Record<string, string>> = { n: '\n', r: '\r', t: '\t', b: '\b', f: '\f' }

function unescaped(literal: string): string {
  return literal
    .replace(/\\(\r\n|\r|\n)/g, '')
    .replace(/\\([0-7]{1,3})/g, (_, octal: string) => String.fromCharCode(parseInt(octal, 8) & 255))
    .replace(/\\([\s\S])/g, (_, character: string) => ESCAPES[character] ?? character)
}

/** Text is UTF-16 with a byte order mark, UTF-8 with one, or one byte a letter. */
function decoded(bytes: string): string {
  const buffer = Buffer.from(bytes, 'latin1')
  if (bytes.startsWith('\xfe\xff'))
    return buffer
      .subarray(2, buffer.length & ~1)
      .swap16()
      .toString('utf16le')
      .trim()
  if (bytes.startsWith('\xef\xbb\xbf')) return buffer.toString('utf8', 3).trim()
  return bytes.trim()
}
