import { CFB } from '@e965/xlsx'
import type { Mark } from '../anchors/marks.ts'
import { isOle } from '../container/locked-office.ts'
import { oleContainer } from '../container/ole-container.ts'
import { type PptRecord, pptTexts, recordsIn } from './ppt-records.ts'

const DOCUMENT = 0x03e8
const SLIDE = 0x03ee
const SLIDE_LIST = 0x0ff0
const SLIDE_PERSIST = 0x03f3
const USER_EDIT = 0x0ff5
const PERSIST_DIRECTORY = 0x1772
/** Maximum number of edits in a file. Each references the previous one. */
const MAX_EDITS = 10_000

/** Texts of a slide, paragraph by paragraph. */
export type SlideTexts = readonly string[]

/**
 * Returns the texts of a `.ppt`'s slides in presentation order ([MS-PPT] 2.1.2). An incremental save leaves old slides
 * in the file, which this order excludes. Empty for any other or a damaged file.
 */
export function pptSlideTexts(bytes: Buffer): readonly SlideTexts[] {
  if (!isOle(bytes)) return []
  try {
    const container = oleContainer(bytes)
    const stream = (name: string): Buffer => Buffer.from(CFB.find(container, name)?.content ?? [])
    return slidesOf(stream('PowerPoint Document'), stream('Current User'))
  } catch {
    return []
  }
}

/** Throws a RangeError for offsets past the end of the file. */
function slidesOf(stream: Buffer, currentUser: Buffer): SlideTexts[] {
  const offsets =
    currentUser.length < 20 ? new Map<number, number>() : persistedAt(stream, currentUser.readUInt32LE(16))
  const document = [...recordsIn(stream)].findLast(({ type }) => type === DOCUMENT)
  const list = [...recordsIn(document?.data ?? Buffer.alloc(0))].find(
    ({ type, instance }) => type === SLIDE_LIST && instance === 0,
  )
  const slides: string[][] = []
  for (const record of recordsIn(list?.data ?? Buffer.alloc(0))) {
    if (record.type === SLIDE_PERSIST) {
      const offset = offsets.get(record.data.readUInt32LE(0))
      const slide = offset === undefined ? undefined : recordAt(stream, offset)
      slides.push(slide?.type === SLIDE ? paragraphsOf(pptTexts(slide.data)) : [])
    } else slides.at(-1)?.push(...paragraphsOf(pptTexts(asStream(record))))
  }
  return slides
}

function asStream({ type, data }: PptRecord): Buffer {
  const header = Buffer.alloc(8)
  header.writeUInt16LE(type, 2)
  header.writeUInt32LE(data.length, 4)
  return Buffer.concat([header, data])
}

const recordAt = (stream: Buffer, offset: number): PptRecord | undefined => {
  const [first] = recordsIn(stream.subarray(offset))
  return first
}

/** Returns the offset of each persistent object in the stream. The newest edit wins. */
function persistedAt(stream: Buffer, newest: number): Map<number, number> {
  const directories: Buffer[] = []
  for (let at = newest, edits = 0; at !== 0 && edits < MAX_EDITS; edits += 1) {
    const edit = recordAt(stream, at)
    if (edit?.type !== USER_EDIT) break
    const directory = recordAt(stream, edit.data.readUInt32LE(12))
    if (directory?.type === PERSIST_DIRECTORY) directories.unshift(directory.data)
    at = edit.data.readUInt32LE(8)
  }
  const offsets = new Map<number, number>()
  for (const directory of directories) {
    for (let at = 0; at + 4 <= directory.length;) {
      const [entry, count] = [directory.readUInt32LE(at), directory.readUInt32LE(at) >>> 20]
      for (let index = 0; index < count; index += 1)
        offsets.set((entry & 0xfffff) + index, directory.readUInt32LE(at + 4 + 4 * index))
      at += 4 + 4 * count
    }
  }
  return offsets
}

const paragraphsOf = (texts: readonly string[]): string[] => texts.flatMap((text) => text.split(/[\r\v\n]/))

/** Reduces text to letters and digits, which neither Markdown nor list markers change. */
const bare = (text: string): string => text.replace(/[^\p{L}\p{N}]/gu, '')

/**
 * Returns the offsets of the slides in the Markdown. A slide starts at its first matching paragraph after those of the
 * previous slides. Empty if a slide with text has no match, so that no citation names a wrong slide.
 */
export function slideMarks(markdown: string, slides: readonly SlideTexts[]): Mark[] {
  if (slides.length === 0) return []
  const lines = linesOf(markdown)
  const marks: Mark[] = []
  let from = 0
  for (const [index, texts] of slides.entries()) {
    const left = texts.map(bare).filter((text) => text !== '')
    if (left.length === 0) continue
    const start = lines.findIndex((line, at) => at >= from && line.texts.some((text) => left.includes(text)))
    const first = lines[start]
    if (first === undefined) return []
    marks.push({ at: first.block, anchor: { slide: index + 1 } })
    for (from = start; removeMatchingTexts(left, lines[from]); from += 1);
  }
  return marks
}

/** Removes the texts of a line from those of a slide. False if none matches. */
function removeMatchingTexts(left: string[], line: Line | undefined): boolean {
  if (line === undefined) return false
  const found = line.texts.filter((text) => left.includes(text))
  for (const text of line.isRow ? found : found.slice(0, 1)) {
    if (left.includes(text)) left.splice(left.indexOf(text), 1)
  }
  return found.length > 0
}

interface Line {
  /** Start offset of its block. */
  readonly block: number
  /** The cells of a row. Otherwise the possible texts of the line in the file, with and without the list marker. */
  readonly texts: readonly string[]
  readonly isRow: boolean
}

function linesOf(markdown: string): Line[] {
  const lines: Line[] = []
  let [block, at] = [0, 0]
  for (const line of markdown.split('\n')) {
    if (line === '') block = at + 1
    const item = line.replace(/^\s*(?:[-*>]|\d+[.)]|#+)\s+/, '')
    const isRow = line.startsWith('|')
    const pieces = isRow ? line.split(/(?<!\\)\||<br>/) : [line, item, item.replace(/^\S+\s+/, '')]
    const texts = pieces.map(bare).filter((text) => text !== '')
    if (texts.length > 0) lines.push({ block, texts, isRow })
    at += line.length + 1
  }
  return lines
}
