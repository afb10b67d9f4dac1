import { CFB } from '@e965/xlsx'
import { describe, expect, test } from 'vitest'
import { pptSlideTexts, slideMarks } from '../../src/slides/ppt-slides.ts'
import { Random } from '../../../../test/support/random.ts'
import { seedFrom } from '../../../../test/support/seed.ts'

const seed = seedFrom('PPT_SEED', 'fresh')
const DRAWS = 300

const u32 = (...values: readonly number[]): Buffer => {
  const bytes = Buffer.alloc(4 * values.length)
  for (const [index, value] of values.entries()) bytes.writeUInt32LE(value, 4 * index)
  return bytes
}

function record(type: number, data: Buffer, isContainer = false): Buffer {
  const header = Buffer.alloc(8)
  header.writeUInt16LE(isContainer ? 0xf : 0, 0)
  header.writeUInt16LE(type, 2)
  header.writeUInt32LE(data.length, 4)
  return Buffer.concat([header, data])
}
const box = (type: number, ...children: readonly Buffer[]): Buffer => record(type, Buffer.concat(children), true)
const text = (paragraphs: readonly string[]): Buffer => record(0x0fa0, Buffer.from(paragraphs.join('\r'), 'utf16le'))

/** A presentation whose slides lie in reverse, with the title of each in the list of slides, saved twice where `isEdited`. */
function presentation(slides: readonly (readonly string[])[], isEdited: boolean): Buffer {
  const list = slides.flatMap((paragraphs, index) => [
    record(0x03f3, u32(index + 2, 0, 0, 0, 0)),
    text(paragraphs.slice(0, 1)),
  ])
  const parts = [box(0x03e8, box(0x0ff0, ...list))]
  const length = (): number => parts.reduce((sum, { length: bytes }) => sum + bytes, 0)
  const add = (part: Buffer): number => parts.push(part) && length() - part.length
  const slide = (paragraphs: readonly string[]): Buffer =>
    box(0x03ee, box(0x040c, box(0xf004, box(0xf00d, text(paragraphs.slice(1))))))
  const save = (offsets: readonly number[], last: number): number => {
    const directory = add(record(0x1772, u32((offsets.length << 20) | 2, ...offsets)))
    return add(record(0x0ff5, u32(0, 0, last, directory)))
  }
  const old = isEdited
    ? save(
        slides.map(() => add(slide(['x', 'an older text']))),
        0,
      )
    : 0
  const offsets = slides.toReversed().map((paragraphs) => add(slide(paragraphs)))
  const current = save(offsets.toReversed(), old)
  const file = CFB.utils.cfb_new()
  CFB.utils.cfb_add(file, '/PowerPoint Document', Buffer.concat(parts))
  CFB.utils.cfb_add(file, '/Current User', record(0x0ff6, u32(0x14, 0xe391c05f, current, 0)))
  return Buffer.from(CFB.write(file, { type: 'buffer' }) as Uint8Array)
}

/** Slides whose words come again on others: a table of contents before them, the same title on two. */
function drawSlides(random: Random): string[][] {
  const words = ['Agenda', 'Results', 'Costs in 2024', 'Outlook', 'Staff & pay', 'Risks', 'Plan B', 'Thanks']
  const word = (): string => words[random.below(words.length)] ?? ''
  return Array.from({ length: 1 + random.below(6) }, (_, index) => [
    random.below(3) === 0 ? word() : `Slide ${index}`,
    ...Array.from({ length: random.below(5) }, word),
  ])
}

/** As the library writes a slide: a title, and paragraphs, items or the cells of a row. */
function markdownOf([title = '', ...rest]: readonly string[], random: Random): string {
  const heading = random.below(2) === 0 ? `## ${title}` : `**${title}**`
  const shapes = [
    rest.join('\n\n'),
    rest.map((item) => `- ${item}`).join('\n'),
    rest.map((item, at) => `${at + 1}. *${item}*`).join('\n'),
    rest.length === 0 ? '' : `| ${rest.join(' | ')} |\n|${' --- |'.repeat(rest.length)}`,
  ]
  const notes = random.below(3) === 0 ? '\n\n> A note' : ''
  return `${heading}\n\n${shapes[random.below(shapes.length)] ?? ''}`.trimEnd() + notes
}

describe('the slides of an old presentation', () => {
  test(`are read in display order, in their newest version (seed ${seed})`, () => {
    const random = new Random(seed)
    for (let draw = 0; draw < DRAWS; draw += 1) {
      const slides = drawSlides(random)
      const found = pptSlideTexts(presentation(slides, random.below(2) === 0))
      expect(found.map((texts) => texts.filter((paragraph) => paragraph !== '').toSorted())).toEqual(
        slides.map((texts) => texts.toSorted()),
      )
    }
  })

  test(`are all marked at their start in the Markdown, or none is (seed ${seed})`, () => {
    const random = new Random(seed)
    for (let draw = 0; draw < DRAWS; draw += 1) {
      const slides = drawSlides(random)
      const parts = slides.map((slide) => markdownOf(slide, random))
      const starts = parts.map((_, index) => parts.slice(0, index).join('\n\n').length + (index === 0 ? 0 : 2))
      const marks = slideMarks(`${parts.join('\n\n')}\n`, slides)
      expect(marks).toEqual(starts.map((at, index) => ({ at, anchor: { slide: index + 1 } })))
      expect(slideMarks('Another text\n', slides)).toEqual([])
    }
  })

  test('are empty for a damaged file and for another file', () => {
    const bytes = presentation([['a', 'b'], ['c']], true)
    for (let at = 0; at < bytes.length; at += 61) {
      const damaged = Buffer.from(bytes)
      damaged[at] = 255
      expect(() => pptSlideTexts(damaged)).not.toThrow()
    }
    expect(pptSlideTexts(Buffer.from('PK'))).toEqual([])
  })
})
