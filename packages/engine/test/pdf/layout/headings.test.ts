import { expect, test } from 'vitest'
import { withHeadings } from '../../../src/pdf/layout/headings.ts'
import type { LayoutBlock } from '../../../src/pdf/layout/block.ts'
import type { Word } from '../../../src/pdf/geometry/words.ts'

const STYLE = { bodySize: 10, boldWeight: 600, vocabulary: new Set<string>() }

function paragraph(text: string, size: number, style: Partial<Word> = {}): LayoutBlock {
  const line = text.split(' ').map((word, at): Word => {
    const box = { x0: at * 50, y0: 0, x1: at * 50 + 40, y1: size }
    const plain = { weight: 400, italic: false, monospaced: false, math: false, link: null, turned: 0 as const }
    return { ...box, ...plain, text: word, size, baseline: size * 0.8, confidence: 0.95, ...style }
  })
  return { kind: 'paragraph', box: { x0: 0, y0: 0, x1: 300, y1: size }, lines: [line] }
}

test.each([
  ['The mineralogy method explained', 11.8, 'heading'],
  ['The mineralogy method explained', 11.4, 'paragraph'],
  ['Mineralogy', 11.8, 'paragraph'],
  ['Mineralogy', 12.6, 'heading'],
  ['of the mineralogy method', 11.8, 'paragraph'],
  ['Total mathrm{soil 1000 of kg', 15, 'paragraph'],
  ['Total = soil of kg', 11.8, 'paragraph'],
])('a recognised line "%s" of %d points over text of 10 is a %s', (text, size, kind) => {
  expect(withHeadings([paragraph(text, size), paragraph('and so on with the text below', 10)], STYLE)[0]?.kind).toBe(
    kind,
  )
})

const NATIVE = { confidence: null }
const PROSE = 'and so on with the text below in a paragraph of more than a dozen words of prose'

test.each([
  ['a bold line', 'Experimental setup', 10, { weight: 700 }, 'heading'],
  ['a regular line', 'Experimental setup', 10, {}, 'paragraph'],
  ['a line in italics', 'Experimental setup', 10, { italic: true }, 'heading'],
  ['a sentence in italics', 'This was never measured.', 10, { italic: true }, 'paragraph'],
  ['a line in capitals', 'EXPERIMENTAL SETUP', 10, {}, 'heading'],
  ['a line of a script without capitals', '감염병의 예방 및 관리', 10, {}, 'paragraph'],
  ['a bold line with a section number', '1.2.1 Section 1.2.3', 10, { weight: 700 }, 'heading'],
  ['a larger line that ends a formula', 's(t) and others =', 14, {}, 'paragraph'],
  ['a caption in brackets', '[표 1] 감염병 개정 비교', 10, { weight: 700 }, 'caption'],
])('%s above prose: "%s" of %d points is a %s', (_, text, size, style, kind) => {
  const blocks = [paragraph(text, size, { ...NATIVE, ...style }), paragraph(PROSE, 10, NATIVE)]
  expect(withHeadings(blocks, STYLE)[0]?.kind).toBe(kind)
})

test('a bold line of column titles is not a heading', () => {
  const spread = (text: string, style: Partial<Word> = {}): LayoutBlock => {
    const block = paragraph(text, 10, { ...NATIVE, ...style })
    if (!('lines' in block)) throw new Error('the block has no lines')
    const lines = block.lines.map((line) => line.map((word, at) => ({ ...word, x0: at * 60, x1: at * 60 + 40 })))
    return { ...block, lines }
  }
  const kinds = (...blocks: LayoutBlock[]) => withHeadings(blocks, STYLE)[0]?.kind
  expect(kinds(spread('Ship Length Dues', { weight: 700 }), spread('Sloop 12 3.50'))).toBe('paragraph')
  expect(kinds(spread('Ship Length Dues', { weight: 700 }), paragraph(PROSE, 10, NATIVE))).toBe('heading')
  expect(kinds(spread('2.1 Dues', { weight: 700 }), spread('Sloop 12 3.50'))).toBe('heading')
})

test('a line in capitals and small capitals has the size of its capitals', () => {
  const line = [14, 10, 14, 10].map((size, at): Word => {
    const box = { x0: at * 50, y0: 0, x1: at * 50 + 40, y1: size }
    const plain = {
      weight: 400,
      italic: false,
      monospaced: false,
      math: false,
      link: null,
      turned: 0 as const,
      confidence: null,
    }
    return { ...box, ...plain, text: ['I', 'NTRODUCTION', 'A', 'ND'][at] ?? '', size, baseline: 8 }
  })
  const block: LayoutBlock = { kind: 'paragraph', box: { x0: 0, y0: 0, x1: 200, y1: 14 }, lines: [line] }
  expect(withHeadings([block, paragraph('of text', 10, NATIVE)], STYLE)[0]?.kind).toBe('heading')
})
