/** Returns the string at `key` in a dictionary, literal or encoded in hexadecimal. Empty if absent. */
export function stringOf(dictionary: string, key: string): string {
  const literal = new RegExp(`/${key}\\s*\\(((?:${BALANCED})*)\\)`).exec(dictionary)?.[1]
  if (literal !== undefined) return decoded(unescaped(literal))
  const hex = new RegExp(`/${key}\\s*<([\\da-fA-F\\s]+)>`).exec(dictionary)?.[1]
  return hex === undefined ? '' : decoded(Buffer.from(hex.replace(/\s+/g, ''), 'hex').toString('latin1'))
}

/** Balanced parentheses need no escape (PDF 1.7, section 7.3.4.2). A single level is common, deeper nesting is not. */
const PLAIN = String.raw`\\[\s\S]|[^\\()]`
const BALANCED = String.raw`${PLAIN}|\((?:${PLAIN})*\)`

const ESCAPES: Readonly<Record<string, string>> = { n: '\n', r: '\r', t: '\t', b: '\b', f: '\f' }

function unescaped(literal: string): string {
  return literal
    .replace(/\\(\r\n|\r|\n)/g, '')
    .replace(/\\([0-7]{1,3})/g, (_, octal: string) => String.fromCharCode(parseInt(octal, 8) & 255))
    .replace(/\\([\s\S])/g, (_, character: string) => ESCAPES[character] ?? character)
}

/** Text is UTF-16 with a BOM, UTF-8 with a BOM, or one byte per letter. */
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
