import type { ParsedPage, TextItem } from '@llamaindex/liteparse'
import { expect, test } from 'vitest'
import { documentStyle } from '../../../src/pdf/geometry/document-style.ts'
import { lineText } from '../../../src/pdf/geometry/line-text.ts'
import { layoutPage } from '../../../src/pdf/layout/layout-page.ts'
import { rowsOf } from '../../../src/pdf/geometry/rows.ts'
import { wordsOf } from '../../../src/pdf/geometry/words.ts'

const SIZE = 8
const WIDTH = 0.5 * SIZE

/** The words of a line as OCR gives them: each box ends where the ink of its letters does. */
function recognised(x: number, baseline: number, line: string): TextItem[] {
  return [...line.matchAll(/\S+/g)].map((match) => {
    const [word] = match
    const above = /[A-Z0-9bdfhijklt]/.test(word) ? 0.72 : 0.52
    const below = /[gjpqy,]/.test(word) ? 0.21 : 0
    const box = { x: x + match.index * WIDTH, y: baseline - above * SIZE, width: word.length * WIDTH }
    return { ...box, text: word, height: (above + below) * SIZE, fontName: 'OCR', confidence: 0.96 }
  })
}

const column = (x: number, top: number, lines: readonly string[]): TextItem[] =>
  lines.flatMap((line, index) => recognised(x, top + index * 10, line))

const pageOf = (textItems: TextItem[]): ParsedPage => ({
  pageNum: 1,
  width: 612,
  height: 792,
  text: '',
  markdown: '',
  textItems,
})

function textsOf(textItems: TextItem[]): string[] {
  const words = wordsOf(pageOf(textItems))
  const nothing = { turned: [], furniture: new Map(), figures: [], recognised: [], inset: [], named: new Map() }
  const content = { ...nothing, rows: rowsOf(words), rulings: { horizontal: [], vertical: [] } }
  return layoutPage(content, documentStyle(words)).map((block) =>
    block.kind === 'table' || block.kind === 'figure' ? block.kind : block.lines.map(lineText).join(' '),
  )
}

const FIRST = [
  'the northern quay was cut out',
  'of granite in a war, a sea wall',
  'some men saw as new',
  'took up ten years.',
]
const SECOND = [
  'The southern quay is younger',
  'and stands on wooden piles',
  'that must be renewed, as we',
  'know, every thirty years.',
]
const THIRD = [
  'A third quay, never finished,',
  'was given up when the river',
  'found another way to the sea',
  'in one long winter.',
]

test('a single letter whose box is too high does not join the lines above and below it', () => {
  const lines = column(60, 100, ['the tide is high', 'use', 'the tide is low'])
  const letter = { ...recognised(90, 110, 'a')[0], y: 98.5, height: 17 } as TextItem
  expect(rowsOf(wordsOf(pageOf([...lines, letter])))).toHaveLength(3)
})

test('three columns of a scan with lines at uneven heights are read one after the other', () => {
  const items = [...column(60, 100, FIRST), ...column(230, 103, SECOND), ...column(400, 106.5, THIRD)]
  expect(textsOf(items)).toEqual([FIRST, SECOND, THIRD].map((lines) => lines.join(' ')))
})

test('a title across two of three columns does not make a table of them', () => {
  const title = 'Harbours of the northern coast and what became of them'
  const items = [
    ...recognised(60, 70, title),
    ...column(60, 100, FIRST),
    ...column(230, 100, SECOND),
    ...column(400, 100, THIRD),
  ]
  expect(textsOf(items)).toEqual([title, ...[FIRST, SECOND, THIRD].map((lines) => lines.join(' '))])
})
