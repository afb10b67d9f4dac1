import { CFB } from '@e965/xlsx'
import { oleContainer } from '../container/ole-container.ts'
import { counted } from '../markup/left-out.ts'
import { isOle } from '../container/locked-office.ts'
import { zipEntries } from '../container/zip-directory.ts'

/** Threshold in letters. A document with more letters has text of its own: its pictures count as illustrations. */
const HARDLY_ANY_LETTERS = 40
/** Threshold in bytes. A smaller picture is an ornament. A scanned page is larger, even with few lines. */
const MIN_BYTES = 4_000
const PICTURE = /(?:^|\/)(?:media|Pictures)\/[^/]+\.(?:png|jpe?g|gif|bmp|tiff?|emf|wmf|webp)$/i
/** Copies of pictures for older readers of RTF. */
const COPIES = /\\nonshppict(?![a-z])/g
/** Streams that hold the pictures of .doc and .ppt. */
const STREAMS = ['Data', 'Pictures'] as const

/** File headers of PNG and JPEG. The text stream of a .doc contains its floating pictures. */
const SIGNATURES = ['\x89PNG\r\n\x1a\n', '\xff\xd8\xff\xe0', '\xff\xd8\xff\xe1'].map((text) =>
  Buffer.from(text, 'latin1'),
)

/**
 * Returns `2 pictures, …` if a document is hardly more than pictures, such as scans in a letter. The parser skips them.
 */
export function unreadPictures(bytes: Buffer, markdown: string): string[] {
  if (hasMoreLetters(markdown.replace(/!\[[^\]]*\]\([^)]*\)/g, ''))) return []
  return counted(picturesIn(bytes), 'picture').map((pictures) => `${pictures}, whose text is not read in Office files`)
}

function hasMoreLetters(text: string): boolean {
  let count = 0
  for (const _ of text.matchAll(/[\p{L}\p{N}]/gu)) {
    count += 1
    if (count > HARDLY_ANY_LETTERS) return true
  }
  return false
}

const count = (text: string, pattern: RegExp): number => text.match(pattern)?.length ?? 0

function picturesIn(bytes: Buffer): number {
  if (bytes.subarray(0, 2).toString('latin1') === 'PK') {
    return zipEntries(bytes).filter(({ name, bytes: size }) => PICTURE.test(name) && size >= MIN_BYTES).length
  }
  if (bytes.subarray(0, 5).toString('latin1') === '{\\rtf') {
    const rtf = bytes.toString('latin1')
    return count(rtf, /\\pict(?![a-z])/g) - count(rtf, COPIES)
  }
  if (!isOle(bytes)) return 0
  try {
    const file = oleContainer(bytes)
    const streams = STREAMS.filter((name) => (CFB.find(file, name)?.size ?? 0) >= MIN_BYTES).length
    return streams + floatingPictures(Buffer.from(CFB.find(file, 'WordDocument')?.content ?? []))
  } catch {
    return 0
  }
}

function floatingPictures(stream: Buffer): number {
  let found = 0
  for (const signature of SIGNATURES) {
    for (let at = stream.indexOf(signature); at >= 0; at = stream.indexOf(signature, at + 1)) {
      if (stream.length - at >= MIN_BYTES) found += 1
    }
  }
  return found
}
