import { expect, test } from 'vitest'
import type { LayoutBlock, Line } from '../../../src/pdf/layout/block.ts'
import { lineText } from '../../../src/pdf/geometry/line-text.ts'
import { namedHeadings, withNamedHeadings } from '../../../src/pdf/layout/outlined-headings.ts'
import { plainWord } from './plain-word.ts'

function line(text: string, y: number, size = 10): Line {
  return text.split(' ').map((word, index) => ({
    ...plainWord(word, size),
    x0: index * 40,
    x1: index * 40 + 36,
    y0: y,
    y1: y + size,
    baseline: y + size,
  }))
}

function paragraph(y: number, ...texts: readonly string[]): LayoutBlock {
  const lines = texts.map((text, index) => line(text, y + index * 12))
  return { kind: 'paragraph', box: { x0: 0, y0: y, x1: 400, y1: y + texts.length * 12 }, lines }
}

const shown = (blocks: readonly LayoutBlock[]): string[] =>
  blocks.map((block) => ('lines' in block ? `${block.kind}: ${block.lines.map(lineText).join(' / ')}` : block.kind))

test('the first lines of a paragraph that the outline names are a heading', () => {
  const named = namedHeadings([{ title: '2 How tides turn', depth: 1 }])
  const blocks = [paragraph(0, '2. How tides', 'turn', 'Water follows the moon.')]
  expect(shown(withNamedHeadings(blocks, named))).toEqual([
    'heading: 2. How tides / turn',
    'paragraph: Water follows the moon.',
  ])
})

test('a title in two blocks is one heading, with or without its number', () => {
  const named = namedHeadings([{ title: 'How tides turn', depth: 3 }])
  const [heading] = withNamedHeadings([paragraph(0, '2.1 How'), paragraph(30, 'tides turn')], named)
  expect(heading).toMatchObject({ kind: 'heading', depth: 3 })
})

test('consecutive names, as in a table of contents, and repeated prints of a name stay text', () => {
  const titles = ['Harbours', 'Tides', 'Quays', 'Lights']
  const named = namedHeadings(titles.map((title) => ({ title, depth: 1 })))
  const contents = titles.map((title, index) => paragraph(index * 30, title))
  expect(withNamedHeadings(contents, named)).toEqual(contents)
  const twice = [paragraph(0, 'Tides'), paragraph(30, 'Some text'), paragraph(60, 'Tides')]
  expect(shown(withNamedHeadings(twice, named))).toEqual(['heading: Tides', 'paragraph: Some text', 'paragraph: Tides'])
})
