import { isUtf8 } from 'node:buffer'
import { CALLED_SIGNATURES, signatureOf } from '@sluice/contract'

/** Detects UTF-16 by its BOM; null without one. The BOM of UTF-32 starts like that of UTF-16. */
function wideEncoding(bytes: Uint8Array): 'utf-16le' | 'utf-16be' | null {
  const [first, second, third, fourth] = bytes
  if (first === 0xff && second === 0xfe) return third === 0 && fourth === 0 ? null : 'utf-16le'
  return first === 0xfe && second === 0xff ? 'utf-16be' : null
}

/**
 * Decodes a text file without its BOM: UTF-16 by its BOM, UTF-8 if every byte is valid, else windows-1252, which
 * decodes any byte.
 */
export function decodePlainText(bytes: Uint8Array): string {
  return new TextDecoder(wideEncoding(bytes) ?? (isUtf8(bytes) ? 'utf-8' : 'windows-1252')).decode(bytes)
}

/**
 * Describes the real content of a file that is named as a text and clearly is binary; else null. `head` is its first
 * bytes. Letters of other formats (`ID3`, `%PDF-` in a sentence) may start a text, too, but a text has no NUL byte.
 */
export function notPlainText(head: Uint8Array): string | null {
  if (wideEncoding(head) !== null) return null
  const hasNul = head.includes(0)
  const signature = signatureOf(head)
  if (signature === 'text') return hasNul ? CALLED_SIGNATURES.unknown : null
  const start = Buffer.from(head.subarray(0, 5)).toString('latin1')
  const mayBeText = /^(?:ID3|OggS|GIF8|Rar!)/.test(start) || (signature === 'pdf' && start !== '%PDF-')
  return mayBeText && !hasNul ? null : CALLED_SIGNATURES[signature]
}
