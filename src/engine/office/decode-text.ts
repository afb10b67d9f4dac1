import { analyse } from 'chardet'

/** Statistics need no more than this, and slow down with it. */
const DETECTION_BYTES = 64 * 1024
const FALLBACK = 'windows-1252'

function decode(bytes: Uint8Array, label: string, fatal: boolean): string | null {
  try {
    return new TextDecoder(label, { fatal }).decode(bytes)
  } catch {
    return null
  }
}

/** Encodings of two bytes a character. */
const DOUBLE_BYTE = /^(?:big5|gb|euc|shift_jis)/i
/** Share of bytes beyond ASCII that stand between two of ASCII; in Chinese, Japanese and Korean one in six do. */
const MOSTLY_ALONE = 0.6

/**
 * The most probable encoding in which every byte means something. A few accents in a table of names and numbers look like
 * Chinese to statistics, but stand alone between plain letters, as characters of two bytes do not.
 */
function byStatistics(bytes: Uint8Array): string | null {
  const sample = bytes.subarray(0, DETECTION_BYTES)
  const isWestern = shareAlone(sample) > MOSTLY_ALONE
  const names = analyse(sample).map(({ name }) => name)
  const possible = names.filter((name) => !(isWestern && DOUBLE_BYTE.test(name)))
  return possible.find((name) => decode(bytes, name, true) !== null) ?? null
}

function shareAlone(bytes: Uint8Array): number {
  let [all, alone] = [0, 0]
  for (let at = 0; at < bytes.length; at += 1) {
    if ((bytes[at] ?? 0) < 0x80) continue
    all += 1
    if ((bytes[at - 1] ?? 0) < 0x80 && (bytes[at + 1] ?? 0) < 0x80) alone += 1
  }
  return all === 0 ? 0 : alone / all
}

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
  return (isKnown ? declared : null) ?? byStatistics(bytes) ?? FALLBACK
}

export function decodeText(bytes: Uint8Array, contentType: string | null): string {
  return new TextDecoder(encodingOf(bytes, contentType, false)).decode(bytes)
}
