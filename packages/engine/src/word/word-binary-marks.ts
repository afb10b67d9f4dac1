/** Offsets in the header of a Word file ([MS-DOC] 2.5: FibRgFcLcb97). */
const FC_STYLES = 0xa2
const FC_CHARACTER_PAGES = 0xfa
const PAGE_BYTES = 512

/** Identifiers of built-in styles, the same in every language ([MS-DOC] 2.9.260). */
const TITLE = 62
const HEADING_1 = 1
const STYLE_BITS = 0x0fff
const PARAGRAPH_STYLE = 1

/** sprmCFRMarkDel ([MS-DOC] 2.6.1): deleted with tracked changes. */
const DELETED = 0x0800
/** Set, or the inverse of its style. No style has deleted text. */
const ON: ReadonlySet<number> = new Set([0x01, 0x81])
/** An optional hyphen, which is invisible and which the library drops. */
const NOTHING = 0x1f
/** Ends of cells, sections and columns, and the delimiters of fields. They are the structure of the document. */
const STRUCTURE: ReadonlySet<number> = new Set([0x07, 0x0c, 0x0e, 0x13, 0x14, 0x15])

export interface Extent {
  /** Offset in the stream of the document, as is `end`. */
  readonly start: number
  /** Exclusive end. */
  readonly end: number
}

/**
 * Returns the byte ranges of text that a tracked change deleted, in file order. Empty if the lists of a damaged file
 * are truncated.
 */
export function deletedExtents(document: Buffer, table: Buffer): Extent[] {
  return characterPages(document, table).flatMap((page) => {
    const runs = page[PAGE_BYTES - 1] ?? 0
    // Each run has an offset of four bytes and one byte for its properties. The last offset ends the page.
    if (4 * (runs + 1) + runs >= PAGE_BYTES) return []
    return Array.from({ length: runs }, (_, run) => run).flatMap((run) => {
      const at = 2 * (page[4 * (runs + 1) + run] ?? 0)
      if (at === 0 || !isDeleted(page.subarray(at + 1, at + 1 + (page[at] ?? 0)))) return []
      return [{ start: page.readUInt32LE(4 * run), end: page.readUInt32LE(4 * run + 4) }]
    })
  })
}

function characterPages(document: Buffer, table: Buffer): Buffer[] {
  const [at, size] = [document.readUInt32LE(FC_CHARACTER_PAGES), document.readUInt32LE(FC_CHARACTER_PAGES + 4)]
  const count = Math.floor((size - 4) / 8)
  if (at + size > table.length) return []
  const numbers = Array.from({ length: Math.max(0, count) }, (_, index) =>
    table.readUInt32LE(at + 4 * (count + 1 + index)),
  )
  return [...new Set(numbers)]
    .map((number) => document.subarray(number * PAGE_BYTES, (number + 1) * PAGE_BYTES))
    .filter((page) => page.length === PAGE_BYTES)
}

/** Walks the modifiers of a run. The highest bits of a modifier's number encode its length ([MS-DOC] 2.2.5.1). */
function isDeleted(properties: Buffer): boolean {
  let found = false
  for (let at = 0; at + 3 <= properties.length;) {
    const change = properties.readUInt16LE(at)
    at += 2
    if (change === DELETED) found = ON.has(properties[at] ?? 0)
    at += [1, 1, 2, 4, 2, 2, 1 + (properties[at] ?? 0), 3][change >> 13] ?? 1
  }
  return found
}

/** Blanks deleted characters of a stream, `width` bytes each, ends of paragraphs included. */
export function blankCharacters(document: Buffer, { start, end }: Extent, width: 1 | 2): void {
  for (let at = start; at + width <= Math.min(end, document.length); at += width) {
    if (STRUCTURE.has(width === 1 ? (document[at] ?? 0) : document.readUInt16LE(at))) continue
    document[at] = NOTHING
    if (width === 2) document[at + 1] = 0
  }
}

/** Assigns heading level 1 to the style of titles, under any name. False if there is none. */
export function markTitleStyle(document: Buffer, table: Buffer): boolean {
  const [start, size] = [document.readUInt32LE(FC_STYLES), document.readUInt32LE(FC_STYLES + 4)]
  const end = Math.min(table.length, start + size)
  if (start + 4 > end) return false
  let left = table.readUInt16LE(start + 2)
  let isMarked = false
  for (let at = start + 2 + table.readUInt16LE(start); left > 0 && at + 6 <= end; left -= 1) {
    const bytes = table.readUInt16LE(at)
    const [first, second] = [table.readUInt16LE(at + 2), table.readUInt16LE(at + 4)]
    if (bytes > 0 && (first & STYLE_BITS) === TITLE && (second & 0xf) === PARAGRAPH_STYLE) {
      table.writeUInt16LE((first & ~STYLE_BITS) | HEADING_1, at + 2)
      isMarked = true
    }
    at += 2 + bytes
  }
  return isMarked
}
