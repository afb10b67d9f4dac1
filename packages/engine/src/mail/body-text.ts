import { decode as decodeLegacy, encodingExists } from 'iconv-lite'
import { ConversionError } from '../conversion.ts'
import { escapeInline, escapeLineStart } from '../markup/escape-markdown.ts'
import { decodeText } from '../text/decode-text.ts'
import { convertHtml } from '../web/convert-html.ts'

/** Encodings whose bytes are valid ASCII, so that no check of the bytes finds them; and those that browsers lack. */
const BY_NAME = /^(?:iso-2022-|hz-|utf-?7|unicode-1-1-utf-7|cp\d{3}$|ibm\d{3}$)/i

/** Decodes a text part: the declared charset, unless the bytes are valid UTF-8 or the charset is unknown. */
export function decodeBody(bytes: Buffer, charset: string | null): string {
  const name = (charset ?? '').trim()
  if (BY_NAME.test(name) && encodingExists(name)) return decodeLegacy(bytes, name)
  if (/^iso-2022-jp/i.test(name)) return new TextDecoder('iso-2022-jp').decode(bytes)
  const known = name === '' || /^(?:us-)?ascii$/i.test(name) ? null : `text/plain; charset=${name}`
  return decodeText(bytes, known).replace(/^\uFEFF/, '')
}

/** Renders plain text as Markdown, line by line. A `>` at the start of a line stays a quote. */
export function markdownOfText(text: string): string {
  const lines = text
    .replace(/\r\n?/g, '\n')
    .split('\n')
    .map((line) => {
      const quoted = /^(?:> ?)+/.exec(line)?.[0] ?? ''
      return quoted.replace(/> ?/g, '> ') + escapeLineStart(escapeInline(line.slice(quoted.length).trimEnd()))
    })
  // Two spaces keep the line breaks of a signature or an address.
  return lines
    .map((line, at) => (line !== '' && (lines[at + 1] ?? '') !== '' && !line.endsWith('> ') ? `${line}  ` : line))
    .join('\n')
    .trim()
}

/**
 * Converts an HTML body. Pictures of the message itself (`cid:`) have no address outside of it and are removed. A body
 * that nests too deep becomes its text without markup.
 */
export async function markdownOfHtml(html: string): Promise<string> {
  const bytes = Buffer.from(html.replace(/<img\b[^>]*\bsrc\s*=\s*["']?cid:[^>]*>/gi, ''))
  try {
    const { markdown } = await convertHtml(
      { bytes, contentType: 'text/html; charset=utf-8', baseUrl: null },
      { onlyMainContent: false, includeTags: [], excludeTags: [], removeBase64Images: true, blockAds: false },
    )
    return (markdown ?? '').trim()
  } catch (error) {
    if (error instanceof ConversionError) return markdownOfText(html.replace(/<[^<>]*>/g, ' '))
    throw error
  }
}
