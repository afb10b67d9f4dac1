import { CFB } from '@e965/xlsx'
import { describe, expect, test } from 'vitest'
import { pptTablesOf, withPptTables } from '../../src/slides/ppt-tables.ts'

const record = (type: number, data: Buffer, { container = false, instance = 0 } = {}): Buffer => {
  const header = Buffer.alloc(8)
  header.writeUInt16LE((instance << 4) | (container ? 0xf : 0), 0)
  header.writeUInt16LE(type, 2)
  header.writeUInt32LE(data.length, 4)
  return Buffer.concat([header, data])
}
const box = (type: number, ...children: readonly Buffer[]): Buffer =>
  record(type, Buffer.concat(children), { container: true })

/** A shape of a table: where it stands, and its text; borders have none and no area. */
function shape(left: number, top: number, right: number, bottom: number, text = ''): Buffer {
  const anchor = Buffer.alloc(16)
  for (const [index, value] of [left, top, right, bottom].entries()) anchor.writeInt32LE(value, 4 * index)
  const textBox = text === '' ? [] : [box(0xf00d, record(0x0fa0, Buffer.from(text, 'utf16le')))]
  return box(0xf004, record(0xf00f, anchor), ...textBox)
}

function presentation(isTable: boolean, shapes: readonly Buffer[]): Buffer {
  const options = Buffer.alloc(6)
  options.writeUInt16LE(0x039f, 0)
  options.writeUInt32LE(isTable ? 1 : 0, 2)
  const group = box(0xf003, box(0xf004, record(0xf122, options, { instance: 1 })), ...shapes)
  const slide = box(0x03ee, box(0x040c, box(0xf002, group)))
  const file = CFB.utils.cfb_new()
  CFB.utils.cfb_add(file, '/PowerPoint Document', slide)
  return Buffer.from(CFB.write(file, { type: 'buffer' }) as Uint8Array)
}

const SHAPES = [
  shape(0, 0, 10, 5, 'Lock'),
  shape(10, 0, 20, 5, 'Rise *'),
  shape(0, 5, 10, 9, 'Upper\rgate'),
  shape(10, 5, 20, 9),
  shape(0, 9, 20, 9),
]
const MARKDOWN = 'Intro\n\n**Lock**\n\nRise \\*\n\nUpper\n\ngate\n\nEnd'

describe('a table of an old presentation', () => {
  test('is assembled from the paragraphs of its cells', () => {
    expect(withPptTables(MARKDOWN, pptTablesOf(presentation(true, SHAPES)))).toBe(
      'Intro\n\n| **Lock** | Rise \\* |\n| --- | --- |\n| Upper<br>gate |  |\n\nEnd',
    )
  })

  test('has the text of a spanning cell once, at its start (docs/internals/quality.md)', () => {
    const shapes = [
      shape(0, 0, 20, 5, 'head'),
      shape(20, 0, 30, 5, 'c'),
      shape(0, 5, 10, 15, 'side'),
      shape(10, 5, 20, 10, 'm'),
      shape(20, 5, 30, 10, 'n'),
      shape(10, 10, 20, 15, 'p'),
      shape(20, 10, 30, 15, 'q'),
    ]
    const paragraphs = ['head', 'c', 'side', 'm', 'n', 'p', 'q'].join('\n\n')
    expect(withPptTables(paragraphs, pptTablesOf(presentation(true, shapes)))).toBe(
      '| head |  | c |\n| --- | --- | --- |\n| side | m | n |\n|  | p | q |',
    )
  })

  test('stays unchanged for a mere group of shapes, or for other paragraphs', () => {
    expect(withPptTables(MARKDOWN, pptTablesOf(presentation(false, SHAPES)))).toBe(MARKDOWN)
    expect(withPptTables('Intro\n\nEnd', pptTablesOf(presentation(true, SHAPES)))).toBe('Intro\n\nEnd')
  })

  test('does not stop the conversion when the file is damaged', () => {
    const bytes = presentation(true, SHAPES)
    for (let at = 0; at < bytes.length; at += 97) {
      const damaged = Buffer.from(bytes)
      damaged[at] = 255
      expect(() => pptTablesOf(damaged)).not.toThrow()
    }
  })
})
