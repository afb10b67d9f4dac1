import { describe, expect, test } from 'vitest'
import { type BlockLine, figuresOfBlocks } from '#src/corpus/figures/figures-of-blocks.ts'
import { Random } from '../support/random.ts'

type Box = readonly [number, number, number, number]

/** Blocks of one column on one page or more, in reading order; a text of '' adds nothing to the Markdown. */
function lines(...blocks: readonly (readonly [type: string, text: string, bbox: Box, page?: number])[]): BlockLine[] {
  let at = 0
  return blocks.map(([type, text, bbox, pageNumber = 1]) => {
    const markdownSpan = text === '' ? null : ([at, at + text.length] as const)
    if (text !== '') at += text.length + 2
    return { pageNumber, width: 600, height: 800, type, bbox, content: text, markdownSpan }
  })
}

const positionsOf = (blocks: readonly BlockLine[]): readonly number[] =>
  figuresOfBlocks(blocks).figures.map(({ at }) => at)

const FIGURE: Box = [0.1, 0.3, 0.5, 0.5]

describe('a figure belongs to', () => {
  test('its caption, below it, above it, or under two figures side by side', () => {
    const below = lines(
      ['text', 'Some text.', [0.1, 0.1, 0.9, 0.2]],
      ['figure', '', FIGURE],
      ['caption', 'Figure 1', [0.1, 0.52, 0.4, 0.54]],
    )
    expect(positionsOf(below)).toEqual([12])
    const above = lines(
      ['caption', 'Figure 1', [0.1, 0.26, 0.4, 0.29]],
      ['figure', '', FIGURE],
      ['text', 'After.', [0.1, 0.6, 0.9, 0.7]],
    )
    expect(positionsOf(above)).toEqual([0])
    const two = lines(
      ['figure', '', FIGURE],
      ['figure', '', [0.55, 0.3, 0.9, 0.5]],
      ['caption', 'Figures 1 and 2', [0.2, 0.51, 0.8, 0.53]],
    )
    expect(figuresOfBlocks(two).captioned.map(({ span }) => span)).toEqual([
      [0, 15],
      [0, 15],
    ])
  })

  test('the text before it rather than a caption of a table, another column, another page or far away', () => {
    const text = ['text', 'Some text.', [0.1, 0.1, 0.9, 0.2]] as const
    const captions: readonly (readonly [string, string, Box, number?])[] = [
      ['caption', 'Table 1: Levels', [0.1, 0.52, 0.4, 0.54]],
      ['caption', 'Figure 1', [0.6, 0.52, 0.9, 0.54]],
      ['caption', 'Figure 1', [0.1, 0.52, 0.4, 0.54], 2],
      ['caption', 'Figure 1', [0.1, 0.7, 0.4, 0.72]],
    ]
    for (const caption of captions) {
      const found = figuresOfBlocks(lines(text, ['figure', '', FIGURE], caption))
      expect([found.figures[0]?.at, found.captioned.length], caption[1]).toEqual([9, 0])
    }
  })

  test('the text after it, or the previous page when its own has no text', () => {
    const text: Box = [0.1, 0.6, 0.9, 0.9]
    expect(
      positionsOf(lines(['text', 'Before.', text], ['figure', '', FIGURE, 2], ['text', 'After.', text, 2])),
    ).toEqual([9])
    expect(
      positionsOf(lines(['text', 'Before.', text], ['figure', '', FIGURE, 2], ['text', 'After.', text, 3])),
    ).toEqual([6])
    expect(positionsOf(lines(['figure', '', FIGURE]))).toEqual([0])
  })

  test('its description when a service provides one', () => {
    const described = lines(['text', 'Before.', [0.1, 0.1, 0.9, 0.2]], ['figure', '![A weir](weir.png)', FIGURE])
    expect([positionsOf(described), figuresOfBlocks(described).captioned]).toEqual([[9], []])
  })

  test('no position in a document without pages', () => {
    const [line] = lines(['figure', '', FIGURE])
    const found = figuresOfBlocks([{ ...(line as BlockLine), pageNumber: null, bbox: null }])
    expect([found.figures, found.unlocated]).toEqual([[], 1])
  })

  test('a block of its own page, on 200 random documents', () => {
    const random = new Random(3)
    const side = (): readonly [number, number] => {
      const from = random.next() * 0.8
      return [from, from + 0.05 + random.next() * 0.15]
    }
    for (let number = 0; number < 200; number++) {
      let page = 1
      const blocks = lines(
        ...Array.from({ length: 1 + random.below(12) }, () => {
          const [[x0, x1], [y0, y1]] = [side(), side()]
          if (random.below(4) === 0) page += 1
          const type = random.pick(['figure', 'text', 'caption', 'table', 'page_header'])
          return [
            type,
            type === 'figure' || random.below(5) === 0 ? '' : 'Text.',
            [x0, y0, x1, y1] as const,
            page,
          ] as const
        }),
      )
      for (const { page: of, at } of figuresOfBlocks(blocks).figures) {
        const texts = blocks.filter(({ pageNumber, markdownSpan }) => pageNumber === of && markdownSpan !== null)
        if (texts.length === 0) continue
        const found = texts.some(({ markdownSpan: span }) => span !== null && span[0] <= at && at < span[1])
        expect(found, `document ${number}, page ${of}, ${at}`).toBe(true)
      }
    }
  })
})
