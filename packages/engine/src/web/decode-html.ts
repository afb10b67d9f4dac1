import { encodingOfOtherScript } from '../encoding-by-statistics.ts'

/** Search window for a declared encoding, in bytes. The HTML standard reads 1024, but real pages declare it later. */
const PRESCAN_BYTES = 4096

export interface DecodedHtml {
  /** The document as text, without BOM. */
  readonly text: string
  /** WHATWG name of the encoding. */
  readonly encoding: string
}

/**
 * Decodes the bytes of a page. The precedence is BOM, strict UTF-8 with characters outside ASCII, content type header,
 * the page's declaration, statistics as in browsers. Valid UTF-8 is never another encoding in practice, even with an
 * old declaration in a re-saved page. Never throws.
 */
export function decodeHtml(bytes: Uint8Array, contentType: string | null): DecodedHtml {
  const encoding = encodingOf(bytes, contentType)
  return { text: new TextDecoder(encoding).decode(bytes), encoding }
}

/** Detects the encoding like `decodeHtml`. The start of a large page suffices, truncated after an ASCII character. */
export function encodingOf(bytes: Uint8Array, contentType: string | null): string {
  const marked = encodingOfMark(bytes) ?? encodingOfZeros(bytes)
  if (marked !== null) return marked
  const isAscii = !bytes.some((byte) => byte >= 0x80)
  if (!isAscii && isUtf8(bytes)) return 'utf-8'
  const declared = knownEncoding(charsetOf(contentType ?? '')) ?? declaredIn(bytes)
  if (declared !== null && !declared.startsWith('utf-16')) return declared
  return isAscii || declared !== null ? 'utf-8' : (encodingOfOtherScript(textBytesOf(bytes)) ?? 'windows-1252')
}

/**
 * Matches scripts, styles and tags. Each match ends at the next `<` or at the end of the page, so one pass suffices for
 * unclosed elements.
 */
const MARKUP = /<(script|style)\b(?![^<>]*\/>).*?(?:<\/\1\s*>|$)|<[^<>]*>/gis

/** Returns the bytes outside tags. Tag names and URLs would distort the statistics. */
function textBytesOf(bytes: Uint8Array): Uint8Array {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('latin1')
  return Buffer.from(text.replace(MARKUP, ' '), 'latin1')
}

function encodingOfMark(bytes: Uint8Array): string | null {
  if (bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf) return 'utf-8'
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return 'utf-16le'
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return 'utf-16be'
  return null
}

/** Detects UTF-16 without a BOM: `<` and the next character, each with its zero byte. */
function encodingOfZeros(bytes: Uint8Array): string | null {
  if (bytes[0] === 0x3c && bytes[1] === 0 && bytes[3] === 0) return 'utf-16le'
  if (bytes[0] === 0 && bytes[1] === 0x3c && bytes[2] === 0) return 'utf-16be'
  return null
}

function isUtf8(bytes: Uint8Array): boolean {
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(bytes)
    return true
  } catch {
    return false
  }
}

/** Returns the encoding that an XML declaration or a meta element declares in the first bytes. */
function declaredIn(bytes: Uint8Array): string | null {
  const head = new TextDecoder('windows-1252').decode(bytes.subarray(0, PRESCAN_BYTES))
  const xml = /^\s*<\?xml\b[^>]*?\bencoding\s*=\s*["']([^"']+)["']/i.exec(head)?.[1]
  const fromXml = knownEncoding(xml ?? null)
  if (fromXml !== null) return fromXml
  for (const [tag] of head.replace(/<!--(?:-?>|.*?-->)/gs, '').matchAll(/<meta[\s/][^>]*>/gi)) {
    const encoding = encodingOfMeta(tag)
    if (encoding !== null) return encoding
  }
  return null
}

const ATTRIBUTE = /([^\s"'>/=]+)\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'>]+))/g

/**
 * Only a `charset` attribute and a content type declare an encoding (HTML standard, "prescan"). A description may
 * contain the word.
 */
function encodingOfMeta(tag: string): string | null {
  const attributes = new Map<string, string>()
  for (const [, name = '', double, single, bare] of tag.slice('<meta'.length).matchAll(ATTRIBUTE)) {
    if (!attributes.has(name.toLowerCase())) attributes.set(name.toLowerCase(), double ?? single ?? bare ?? '')
  }
  const isContentType = attributes.get('http-equiv')?.toLowerCase() === 'content-type'
  const label = attributes.get('charset') ?? (isContentType ? charsetOf(attributes.get('content') ?? '') : null)
  if (label?.trim().toLowerCase() === 'x-user-defined') return 'windows-1252'
  return knownEncoding(label)
}

function charsetOf(declaration: string): string | null {
  return /\bcharset\s*=\s*["']?\s*([^\s"'/>;]+)/i.exec(declaration)?.[1] ?? null
}

function knownEncoding(label: string | null): string | null {
  if (label === null) return null
  try {
    return new TextDecoder(label).encoding
  } catch {
    return null
  }
}
