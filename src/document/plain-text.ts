import { isUtf8 } from 'node:buffer'
import { CALLED_SIGNATURES, signatureOf } from '@sluice/contract'

/** UTF-16 by its byte order mark; null where there is none. The mark of UTF-32 begins like the one of UTF-16. */
function wideEncoding(bytes: Uint8Array): 'utf-16le' | 'utf-16be' | null {
  const [first, second, third, fourth] = bytes
  if (first === 0xff && second === 0xfe) return third === 0 && fourth === 0 ? null : 'utf-16le'
  return first === 0xfe && second === 0xff ? 'utf-16be' : null
}

/**
 * The text of a file, without its byte order mark and otherwise character by character: UTF-16 by its mark, UTF-8 where
 * every byte is valid UTF-8, else windows-1252, in which every byte means something.
 */
export function decodePlainText(bytes: Uint8Array): string {
  return new TextDecoder(wideEncoding(bytes) ?? (isUtf8(bytes) ? 'utf-8' : 'windows-1252')).decode(bytes)
}

/**
 * What a file is that is named as a text and clearly is none, in words, else null. `head` is its first bytes. Letters that
 * begin other formats (`ID3`, `%PDF-` in a sentence) may begin a text as well, which has no NUL byte.
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
