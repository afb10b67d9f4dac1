import { decode, encodingByStatistics } from '../encoding-by-statistics.ts'

const FALLBACK = 'windows-1252'

/** True for valid UTF-8, except for a character that the end of a sample truncates. */
function isUtf8(bytes: Uint8Array, isSample: boolean): boolean {
  const cuts = isSample ? [0, 1, 2, 3] : [0]
  return cuts.some((cut) => decode(bytes.subarray(0, bytes.length - cut), 'utf-8', true) !== null)
}

function declaredCharset(contentType: string | null): string | null {
  return /charset\s*=\s*["']?([^\s;"']+)/i.exec(contentType ?? '')?.[1] ?? null
}

function byMark(bytes: Uint8Array): string | null {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return 'utf-16le'
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return 'utf-16be'
  return null
}

/**
 * Returns the encoding of a text: BOM, then valid UTF-8, then the client's header, then statistics. Wrong headers are
 * more common than accidental UTF-8. `isSample` is true if the bytes are only the start of a file.
 */
export function encodingOf(bytes: Uint8Array, contentType: string | null, isSample: boolean): string {
  const mark = byMark(bytes)
  if (mark !== null) return mark
  if (isUtf8(bytes, isSample)) return 'utf-8'
  const declared = declaredCharset(contentType)
  const isKnown = declared !== null && decode(bytes, declared, false) !== null
  return (isKnown ? declared : null) ?? encodingByStatistics(bytes) ?? FALLBACK
}

const NEWLINE = 0x0a

function* linesOf(bytes: Uint8Array): Generator<Uint8Array> {
  for (let at = 0; at < bytes.length;) {
    const end = bytes.indexOf(NEWLINE, at) + 1 || bytes.length
    yield bytes.subarray(at, end)
    at = end
  }
}

/**
 * Decodes a text with lines in different encodings. Most lines outside ASCII are UTF-8, and the others share one
 * encoding. Null for a text in a single encoding.
 */
function mixedText(bytes: Uint8Array): string | null {
  if (isUtf8(bytes, false)) return null
  const lines = Array.from(linesOf(bytes), (line) => ({ line, text: decode(line, 'utf-8', true) }))
  const others = lines.filter(({ text }) => text === null).map(({ line }) => line)
  const isBeyondAscii = (text: string | null): boolean => text !== null && /[^\0-\x7f]/.test(text)
  if (others.length > lines.filter(({ text }) => isBeyondAscii(text)).length) return null
  const decoder = new TextDecoder(encodingByStatistics(Buffer.concat(others)) ?? FALLBACK)
  return lines.map(({ line, text }) => text ?? decoder.decode(line)).join('')
}

export function decodeText(bytes: Uint8Array, contentType: string | null): string {
  const mixed = declaredCharset(contentType) === null && byMark(bytes) === null ? mixedText(bytes) : null
  if (mixed !== null) return mixed
  return new TextDecoder(encodingOf(bytes, contentType, false)).decode(bytes)
}
