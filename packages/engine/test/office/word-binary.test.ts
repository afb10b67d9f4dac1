import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { convertOffice } from '../../src/office/convert-office.ts'
import { OleStreams } from '../../src/container/ole-streams.ts'
import { blankCharacters } from '../../src/word/word-binary-marks.ts'

const OPTIONS = { removeBase64Images: true, onlyMainContent: true }
const MINUTES = readFileSync('samples/board-minutes.doc')

/** Where the minutes keep the properties of their characters: one page, for all of their text. */
const PROPERTIES = 7 * 512
const TEXT = 2048
const TEXT_END = 3396
/** Where a page keeps the properties of one run. */
const DELETED_AT = 0x180

const utf16 = (text: string): Buffer => Buffer.from(text, 'utf16le')

/** The minutes with texts that tracked changes deleted: `change` is the value of that property. */
function withDeleted(texts: readonly string[], change = 1): Buffer {
  const streams = new OleStreams(MINUTES)
  const document = streams.read('WordDocument') ?? Buffer.alloc(0)
  const edges = texts.flatMap((text) => {
    const at = document.indexOf(utf16(text))
    return [at, at + 2 * text.length]
  })
  const offsets = [TEXT, ...edges, TEXT_END]
  const page = Buffer.alloc(512)
  offsets.forEach((offset, index) => page.writeUInt32LE(offset, 4 * index))
  const runs = offsets.length - 1
  for (let run = 1; run < runs; run += 2) page[4 * (runs + 1) + run] = DELETED_AT / 2
  // Italic; the author of the deletion; the deletion.
  const properties = Buffer.from([0x36, 0x08, 0x01, 0x63, 0x48, 0x01, 0x00, 0x00, 0x08, change])
  page[DELETED_AT] = properties.length
  properties.copy(page, DELETED_AT + 1)
  page[511] = runs
  page.copy(document, PROPERTIES)
  streams.overwrite('WordDocument', document)
  return streams.bytes
}

/** The minutes with the style of their bullets, which has a name of its own, as another built-in style. */
function withBulletsAs(style: number): Buffer {
  const streams = new OleStreams(MINUTES)
  const [document, table] = [streams.read('WordDocument'), streams.read('1Table')]
  if (document === null || table === null) throw new Error('the sample is no Word file')
  const name = table.indexOf(utf16('List Bullet'))
  // The length of the name, then ten to eighteen bytes of the style's own, of which the first is its number.
  const start = [12, 20].map((before) => name - before).find((at) => (table.readUInt16LE(at) & 0xfff) === 0xffe)
  if (start === undefined) throw new Error('the sample has no such style')
  table.writeUInt16LE((table.readUInt16LE(start) & ~0xfff) | style, start)
  streams.overwrite('1Table', table)
  return streams.bytes
}

const markdownOf = async (bytes: Buffer): Promise<string> => (await convertOffice(bytes, 'doc', OPTIONS)).markdown

describe('a Word file of 97 to 2003', () => {
  test.each([1, 0x81])('omits cells, paragraphs and text that tracked changes deleted (%i)', async (change) => {
    const deleted = ['spoke to his inspection. ', '2. Decisions\r', 'Dredge Ferry Lane', ', 19 May']
    const markdown = await markdownOf(withDeleted(deleted, change))
    for (const text of deleted) expect(markdown).not.toContain(text.trim())
    expect(markdown).toContain('Mr Wren The Board thanked him')
    expect(markdown).toContain('\n\n- Ferry Lane dredging to go ahead in January')
    expect(markdown).toContain('- The open day to be on Sunday.')
    expect(markdown).toContain('|  | 4 | 0 |\n')
  })

  test('joins two paragraphs when only the mark between them is deleted', async () => {
    expect(await markdownOf(withDeleted([' up to £61,000.\r']))).toContain('go ahead in January,Gates for Gannet Lock')
  })

  test('keeps text that is not actually deleted', async () => {
    expect(await markdownOf(withDeleted(['Decisions'], 0))).toContain('## 2. *Decisions*')
  })

  test('has its title as a heading in any language of the style name', async () => {
    expect(await markdownOf(withBulletsAs(62))).toContain('\n# Ferry Lane dredging to go ahead in January')
    expect(await markdownOf(withBulletsAs(63))).not.toContain('# Ferry Lane')
  })
})

test('the blanking of text covers characters of one and two bytes, but no structural mark', () => {
  const text = 'ab\rcd\r\x07ef\x13g'
  const [narrow, wide] = [Buffer.from(text, 'latin1'), utf16(text)]
  blankCharacters(narrow, { start: 3, end: narrow.length }, 1)
  blankCharacters(wide, { start: 6, end: wide.length }, 2)
  const blanked = 'ab\r\x1f\x1f\x1f\x07\x1f\x1f\x13\x1f'
  expect(narrow.toString('latin1')).toBe(blanked)
  expect(wide.toString('utf16le')).toBe(blanked)
})
