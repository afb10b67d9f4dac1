import { blankCharacters, deletedExtents } from './word-binary-marks.ts'

/** Offsets in the header of a Word file ([MS-DOC] 2.5: FibBase, FibRgLw97, FibRgFcLcb97). */
const FLAGS = 0x0a
const USES_TABLE_1 = 0x0200
const CCP_TEXT = 0x4c
const CCP_FOOTNOTES = 0x50
const CCP_HEADERS = 0x54
const CCP_COMMENTS = 0x5c
const FC_HEADERS = 0xf2
const FC_PIECES = 0x1a2
/** The first header stories are the separators of notes. */
const SEPARATORS = 6
const COMPRESSED = 0x4000_0000
const CP1252 = new TextDecoder('windows-1252')

export interface WordStories {
  readonly headers: readonly string[]
  readonly footers: readonly string[]
  readonly comments: readonly string[]
}

/** Returns the table stream of the file that holds its offsets. */
export function tableStream(header: Buffer): '0Table' | '1Table' {
  return (header.readUInt16LE(FLAGS) & USES_TABLE_1) === 0 ? '0Table' : '1Table'
}

/** Returns the raw text of all stories except the main one. Throws `RangeError` for a damaged file. */
export function wordStories(document: Buffer, table: Buffer): WordStories {
  const text = textReader(document, table)
  const headersFrom = document.readInt32LE(CCP_TEXT) + document.readInt32LE(CCP_FOOTNOTES)
  const commentsFrom = headersFrom + document.readInt32LE(CCP_HEADERS)
  const [at, size] = [document.readUInt32LE(FC_HEADERS), document.readUInt32LE(FC_HEADERS + 4)]
  const [headers, footers]: [string[], string[]] = [[], []]
  for (let story = SEPARATORS; 4 * (story + 1) < size; story += 1) {
    const [from, to] = [table.readUInt32LE(at + 4 * story), table.readUInt32LE(at + 4 * story + 4)]
    // Even, odd header; even, odd footer; first header; first footer.
    const kind = (story - SEPARATORS) % 6
    ;(kind === 2 || kind === 3 || kind === 5 ? footers : headers).push(text(headersFrom + from, headersFrom + to))
  }
  // Each comment starts with its mark.
  const comments = text(commentsFrom, commentsFrom + document.readInt32LE(CCP_COMMENTS)).split('\u0005')
  return { headers, footers, comments }
}

/**
 * Maximum number of steps. Pieces of a healthy file share no text. Pieces of a damaged one may repeat a range any
 * number of times.
 */
const MAX_STEPS = 20_000_000

/** Blanks the text of a Word file that tracked changes deleted. False if there is none. */
export function blankDeletedText(document: Buffer, table: Buffer): boolean {
  const deleted = deletedExtents(document, table)
  if (deleted.length === 0) return false
  let spare = MAX_STEPS
  for (const { from, to, offset, width } of piecesOf(document, table)) {
    const last = offset + (to - from) * width
    for (const { start, end } of deleted) {
      if ((spare -= 1) < 0) return true
      const overlap = { start: Math.max(start, offset), end: Math.min(end, last) }
      if (overlap.start >= overlap.end) continue
      spare -= overlap.end - overlap.start
      blankCharacters(document, overlap, width)
    }
  }
  return true
}

interface Piece {
  readonly from: number
  readonly to: number
  readonly offset: number
  readonly width: 1 | 2
}

/** Reads characters by their position over all pieces ([MS-DOC] 2.4.1). */
function textReader(document: Buffer, table: Buffer): (from: number, to: number) => string {
  const pieces = piecesOf(document, table)
  return (from, to) =>
    pieces
      .filter((piece) => piece.from < to && piece.to > from)
      .map(({ from: start, to: end, offset, width }) => {
        const [first, last] = [Math.max(from, start) - start, Math.min(to, end) - start]
        const bytes = document.subarray(offset + first * width, offset + last * width)
        return width === 1 ? CP1252.decode(bytes) : bytes.toString('utf16le')
      })
      .join('')
}

function piecesOf(document: Buffer, table: Buffer): Piece[] {
  let at = document.readUInt32LE(FC_PIECES)
  while (table.readUInt8(at) === 1) at += 3 + table.readUInt16LE(at + 1)
  const count = Math.floor((table.readUInt32LE(at + 1) - 4) / 12)
  const positions = at + 5
  const descriptors = positions + 4 * (count + 1)
  // The length in a damaged file may exceed the stream. Without this check, the allocation of the list precedes the
  // first failing read.
  if (descriptors + 8 * count > table.length) throw new RangeError('a list of pieces that ends after its stream')
  return Array.from({ length: count }, (_, index): Piece => {
    const [from, to] = [table.readUInt32LE(positions + 4 * index), table.readUInt32LE(positions + 4 * index + 4)]
    const place = table.readUInt32LE(descriptors + 8 * index + 2)
    const isCompressed = (place & COMPRESSED) !== 0
    const offset = place & (COMPRESSED - 1)
    return { from, to, offset: isCompressed ? offset / 2 : offset, width: isCompressed ? 1 : 2 }
  })
}
