import { constants, inflateSync } from 'node:zlib'

/** Search window in bytes, enough for hundreds of pages. */
const MAX_BYTES = 64 * 1024 ** 2
/** Matches a shown string that has a letter or digit, or is encoded in hexadecimal (PDF 1.7, section 9.4.3). */
const SHOWN = /(?:\([^()]*[A-Za-z0-9][^()]*\)|<[0-9A-Fa-f\s]{2,}>)[^()<>[\]]{0,40}\]?\s*(?:Tj|TJ|'|")(?![A-Za-z])/
const FIRST_TEXT = /(?:^|[\s\])>])BT\s/

/**
 * True if a PDF has a content stream that shows text or is damaged. The parser asks this if the library found neither
 * text nor ink on any page. The library ignores streams that it cannot decompress. It draws no text in a font that
 * neither the file nor this machine has. Returns `false` for an encrypted file.
 */
export function hasLostContent(file: Buffer): boolean {
  if (file.includes('/Encrypt')) return false
  let searched = 0
  for (let at = file.indexOf('stream'); at >= 0 && searched < MAX_BYTES; at = file.indexOf('stream', at + 6)) {
    if (file.toString('latin1', at - 3, at) === 'end') continue
    const start = at + 6 + (file[at + 6] === 0x0d ? 2 : 1)
    const end = file.indexOf('endstream', start)
    if (end < 0) return false
    const content = contentOf(file, at, start, end)
    if (content === null) return true
    searched += content.length
    if (FIRST_TEXT.test(content) && SHOWN.test(content)) return true
    at = end
  }
  return false
}

/** Returns the decompressed stream, or null if it is damaged. Skips pictures, fonts and colour profiles. */
function contentOf(file: Buffer, keyword: number, start: number, end: number): string | null {
  const dictionary = file.toString('latin1', Math.max(0, file.lastIndexOf('obj', keyword)), keyword)
  if (/\/Subtype\s*\/Image|\/Alternate|\/Length1|\/FontFile|\/Type\s*\/(?:XRef|ObjStm|Metadata)/.test(dictionary))
    return ''
  const bytes = file.subarray(start, end)
  if (!dictionary.includes('/FlateDecode')) return dictionary.includes('/Filter') ? '' : bytes.toString('latin1')
  try {
    // A truncated stream still yields its intact part.
    return inflateSync(bytes, { finishFlush: constants.Z_SYNC_FLUSH, maxOutputLength: MAX_BYTES }).toString('latin1')
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'Z_DATA_ERROR' ? null : ''
  }
}
