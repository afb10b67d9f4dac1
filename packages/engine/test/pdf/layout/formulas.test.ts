import { expect, test } from 'vitest'
import type { LayoutBlock, TextBlock } from '../../../src/pdf/layout/block.ts'
import { union } from '../../../src/pdf/geometry/box.ts'
import { withFormulas } from '../../../src/pdf/layout/formulas.ts'
import type { Word } from '../../../src/pdf/geometry/words.ts'

/** A word in a font of mathematics, `y` at its upper edge. */
function sign(text: string, x: number, y: number, size = 10): Word {
  const box = { x0: x, x1: x + 5 * text.length, y0: y, y1: y + size }
  const style = { size, baseline: y + size, weight: 400, italic: true, monospaced: false, math: true }
  return { text, ...box, ...style, confidence: null, link: null, turned: 0 }
}

function paragraph(words: readonly Word[]): TextBlock {
  return { kind: 'paragraph', box: union(words), lines: [words] }
}

const prose = (y: number): LayoutBlock =>
  paragraph(
    'The harbour master measured the level of the water every hour of the day.'
      .split(' ')
      .map((text, index) => ({ ...sign(text, index * 40, y), italic: false, math: false })),
  )

const NO_RULES = { horizontal: [], vertical: [] }
const bar = (at: number, start: number, end: number) => ({ horizontal: [{ at, start, end }], vertical: [] })

test('a displayed formula is one block, with its scripts and its number', () => {
  const words = [
    sign('E', 100, 50),
    sign('=', 110, 50),
    sign('m', 120, 50),
    sign('c', 130, 50),
    sign('2', 136, 47, 7),
    sign('(3)', 300, 50),
  ]
  expect(withFormulas([prose(10), paragraph(words), prose(90)], NO_RULES)).toMatchObject([
    { kind: 'paragraph' },
    { kind: 'formula', latex: 'E = m c^{2} \\qquad (3)' },
    { kind: 'paragraph' },
  ])
})

test('the parts of a fraction in separate blocks make one formula', () => {
  const parts = [
    [sign('a', 132, 40), sign('i', 138, 45, 6)],
    [sign('x', 100, 52), sign('=', 112, 52)],
    [sign('b', 133, 64)],
  ]
  const [formula, ...others] = withFormulas([...parts.map(paragraph), prose(100)], bar(57, 128, 146))
  expect(formula).toMatchObject({ kind: 'formula', latex: 'x = \\frac{a_{i}}{b}' })
  expect(others).toHaveLength(1)
})

test('the limits of a sum in a formula follow it, and would-be LaTeX commands are text', () => {
  const words = [
    sign('S', 100, 50),
    sign('=', 110, 50),
    sign('∑', 120, 50, 12),
    sign('i=1', 116, 63, 6),
    sign('n', 121, 42, 6),
    sign('5%', 140, 50),
  ]
  expect(withFormulas([prose(10), paragraph(words)], NO_RULES)[1]).toMatchObject({ latex: 'S = ∑_{i=1}^{n} 5\\%' })
})

test('text, ranges and recognised signs are not formulas', () => {
  const plain = (text: string, x: number): Word => ({ ...sign(text, x, 50), math: false, italic: false })
  const ranges = paragraph([plain('0-4', 100), plain('5-14', 130), plain('≥65', 160)])
  const sentence = paragraph([plain('Depth', 100), sign('x', 130, 50), plain('= three fathoms at noon', 140)])
  const recognised = paragraph([
    { ...sign('x', 100, 50), confidence: 0.9 },
    { ...sign('=', 110, 50), confidence: 0.9 },
  ])
  for (const block of [ranges, sentence, recognised]) expect(withFormulas([prose(10), block], NO_RULES)[1]).toBe(block)
})
