import { decode, encodingByStatistics } from '../encoding-by-statistics.ts'

const FALLBACK = 'windows-1252'

/** Valid UTF-8, but for a character that the end of a sample cuts. */
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
 * The encoding of a text: byte order mark, then valid UTF-8, then what the sender declared, then statistics. Bytes that are
 * valid UTF-8 by accident are rarer than declarations that are wrong. `isSample`: the bytes are only the first of a file.
 */
export function encodingOf(bytes: Uint8Array, contentType: string | null, isSample: boolean): string {
  const mark = byMark(bytes)
  if (mark !== null) return mark
  if (isUtf8(bytes, isSample)) return 'utf-8'
  const declared = declaredCharset(contentType)
  const isKnown = declared !== null && decode(bytes, declared, false) !== null
  return (isKnown ? declared : null) ?? encodingByStatistics(bytes) ?? FALLBACK
}

export function decodeText(bytes: Uint8Array, contentType: string | null): string {
  return new TextDecoder(encodingOf(bytes, contentType, false)).decode(bytes)
}
