import { type Extension, formatOf } from './formats.ts'

/**
 * File type according to the first bytes (magic number). `text` is content without a NUL byte that matches no other
 * type.
 */
export type Signature = 'pdf' | 'zip' | 'ole' | 'rtf' | 'image' | 'archive' | 'program' | 'media' | 'text' | 'unknown'

/** Number of bytes that `signatureOf` reads. */
export const SNIFF_BYTES = 4096

const MAGIC: readonly (readonly [Signature, readonly number[]])[] = [
  ['zip', [0x50, 0x4b, 0x03, 0x04]],
  ['zip', [0x50, 0x4b, 0x05, 0x06]],
  ['ole', [0xd0, 0xcf, 0x11, 0xe0, 0xa1, 0xb1, 0x1a, 0xe1]],
  ['rtf', [0x7b, 0x5c, 0x72, 0x74]],
  ['image', [0x89, 0x50, 0x4e, 0x47]],
  ['image', [0xff, 0xd8, 0xff]],
  ['image', [0x47, 0x49, 0x46, 0x38]],
  ['image', [0x49, 0x49, 0x2a, 0x00]],
  ['image', [0x4d, 0x4d, 0x00, 0x2a]],
  ['image', [0x00, 0x00, 0x00, 0x0c, 0x6a, 0x50, 0x20, 0x20]],
  ['image', [0xff, 0x4f, 0xff, 0x51]],
  ['archive', [0x1f, 0x8b]],
  ['archive', [0x37, 0x7a, 0xbc, 0xaf]],
  ['archive', [0x52, 0x61, 0x72, 0x21]],
  ['archive', [0xfd, 0x37, 0x7a, 0x58]],
  ['archive', [0x28, 0xb5, 0x2f, 0xfd]],
  ['program', [0x7f, 0x45, 0x4c, 0x46]],
  ['program', [0x4d, 0x5a, 0x90, 0x00]],
  ['media', [0x49, 0x44, 0x33]],
  ['media', [0x4f, 0x67, 0x67, 0x53]],
]

const UTF16_MARKS: readonly (readonly number[])[] = [
  [0xff, 0xfe],
  [0xfe, 0xff],
]

/** Brands of AVIF in the `ftyp` box: single images and sequences. */
const AVIF_BRAND = /^ftyp(?:avif|avis|mif1|msf1)/

/** Containers whose mark lies behind their length: WebP, AVIF. */
function isBoxedImage(head: Uint8Array): boolean {
  const start = Buffer.from(head.buffer, head.byteOffset, Math.min(head.length, 12)).toString('latin1')
  return (start.startsWith('RIFF') && start.endsWith('WEBP')) || AVIF_BRAND.test(start.slice(4))
}

const startsWith = (head: Uint8Array, bytes: readonly number[]): boolean =>
  bytes.every((byte, index) => head[index] === byte)

export function signatureOf(head: Uint8Array): Signature {
  const known = MAGIC.find(([, bytes]) => startsWith(head, bytes))
  if (known !== undefined) return known[0]
  if (isBoxedImage(head)) return 'image'
  // The PDF reference allows the header at any offset in the first 1024 bytes.
  if (Buffer.from(head.buffer, head.byteOffset, Math.min(head.length, 1024)).includes('%PDF-')) return 'pdf'
  if (UTF16_MARKS.some((mark) => startsWith(head, mark))) return 'text'
  return head.includes(0) ? 'unknown' : 'text'
}

const NEVER_A_DOCUMENT: readonly Signature[] = ['image', 'archive', 'program', 'media']
const TEXT_ONLY: readonly Extension[] = ['html', 'htm', 'xhtml', 'csv', 'rtf']

/** Names of signatures in messages. */
export const CALLED_SIGNATURES: Readonly<Record<Signature, string>> = {
  pdf: 'a PDF',
  zip: 'a ZIP container (new Office, OpenDocument or EPUB)',
  ole: 'an old Office or encrypted Office file',
  rtf: 'an RTF text',
  image: 'an image',
  archive: 'a compressed archive',
  program: 'a program',
  media: 'an audio file',
  text: 'plain text',
  unknown: 'binary data',
}

/** Content that an image's name excludes. A BMP has no certain signature, and may pass for text. */
const NEVER_AN_IMAGE: readonly Signature[] = ['pdf', 'zip', 'ole', 'rtf', 'archive', 'program', 'media']

/**
 * Describes the real content if it clearly contradicts the extension, else returns null. Only certain mismatches count:
 * a service may still read an old `.doc` that holds RTF or HTML.
 */
export function contradiction(extension: Extension, signature: Signature): string | null {
  if (formatOf(extension).family === 'image') {
    return NEVER_AN_IMAGE.includes(signature) ? CALLED_SIGNATURES[signature] : null
  }
  if (NEVER_A_DOCUMENT.includes(signature)) return CALLED_SIGNATURES[signature]
  const isPdf = signature === 'pdf'
  if (extension === 'pdf') return isPdf || signature === 'unknown' ? null : CALLED_SIGNATURES[signature]
  if (isPdf) return CALLED_SIGNATURES.pdf
  const isContainer = signature === 'zip' || signature === 'ole'
  return TEXT_ONLY.includes(extension) && isContainer ? CALLED_SIGNATURES[signature] : null
}
