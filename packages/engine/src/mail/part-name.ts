import { EXTENSIONS, formatOf } from '@sluice/contract'

/** Names of parts without a file name. */
const DEFAULT_NAMES: Readonly<Record<string, string>> = {
  'message/rfc822': 'message.eml',
  'message/global': 'message.eml',
  'message/delivery-status': 'delivery-status.txt',
  'message/disposition-notification': 'disposition-notification.txt',
  'text/rfc822-headers': 'headers.txt',
  'text/calendar': 'invite.ics',
  'text/vcard': 'contact.vcf',
  'text/plain': 'text.txt',
  'application/ms-tnef': 'winmail.dat',
  'application/pkcs7-mime': 'smime.p7m',
  'application/x-pkcs7-mime': 'smime.p7m',
  'image/jpeg': 'image.jpg',
  'image/png': 'image.png',
  'image/gif': 'image.gif',
}

const MAX_LENGTH = 150

/**
 * Names a part by its position in the message, from 1, and its file name: `3-report.pdf`. A missing extension follows
 * from the media type. The name has no folder and no control characters.
 */
export function partName(position: number, fileName: string | null, mediaType: string): string {
  return `${position}-${withExtension(clean(fileName ?? ''), mediaType)}`
}

function withExtension(name: string, mediaType: string): string {
  if (/\.[\p{L}\p{N}]{1,8}$/u.test(name)) return name
  const fallback = DEFAULT_NAMES[mediaType] ?? `part.${extensionFor(mediaType)}`
  return name === '' ? fallback : `${name}${fallback.slice(fallback.lastIndexOf('.'))}`
}

const extensionFor = (mediaType: string): string =>
  EXTENSIONS.find((extension) => formatOf(extension).mediaType === mediaType) ??
  (mediaType.startsWith('text/') ? 'txt' : 'bin')

function clean(fileName: string): string {
  const name = fileName.slice(Math.max(fileName.lastIndexOf('/'), fileName.lastIndexOf('\\')) + 1)
  // eslint-disable-next-line no-control-regex
  const printable = name.replace(/[\u0000-\u001f\u007f]/g, '').trim()
  const dot = printable.lastIndexOf('.')
  const ending = dot > 0 && printable.length - dot <= 10 ? printable.slice(dot) : ''
  const stem = ending === '' ? printable : printable.slice(0, dot)
  return stem.slice(0, MAX_LENGTH).toWellFormed() + ending
}
