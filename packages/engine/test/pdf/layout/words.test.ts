import type { ParsedPage, TextItem } from '@llamaindex/liteparse'
import { describe, expect, test } from 'vitest'
import { wordsOf } from '../../../src/pdf/geometry/words.ts'

function pageOf(items: readonly Partial<TextItem>[]): ParsedPage {
  const textItems = items.map((item, index) => ({
    text: '',
    x: 72 + index * 20,
    y: 100,
    width: 15,
    height: 12,
    fontName: 'Helvetica',
    ...item,
  }))
  return { pageNum: 1, width: 612, height: 792, text: '', markdown: '', textItems }
}

const textsOf = (items: readonly Partial<TextItem>[]): string[] => wordsOf(pageOf(items)).map((word) => word.text)

describe('a private-use letter', () => {
  test('is a bullet when its code or its font indicates one', () => {
    const symbol = { text: '\ue0b7', fontName: 'ABCDEF+SymbolMT' }
    expect(textsOf([{ text: '\uf0b7' }, symbol, { text: 'n', fontName: 'Wingdings' }])).toEqual(['•', '•', '•'])
  })

  test('is dropped elsewhere, alone or in a word', () => {
    expect(textsOf([{ text: '\ue012' }, { text: '\ue013\ue014' }, { text: 'qu\ue015ay' }])).toEqual(['quay'])
  })
})

test('the replacement character is not a word', () => {
  expect(textsOf([{ text: '\ufffd' }, { text: 'pier' }])).toEqual(['pier'])
})

describe('ideographs of native text', () => {
  const at = (text: string, x: number, more: Partial<TextItem> = {}) => ({ text, x, width: 12 * text.length, ...more })

  test('of a line are one word with their punctuation, though each was set individually', () => {
    expect(textsOf([at('关', 72), at('于', 84.1), at('红军', 96), at('，', 120.2)])).toEqual(['关于红军，'])
  })

  test('stay apart at a space of the page, on another line, in another size and next to other scripts', () => {
    expect(textsOf([at('目', 72), at('录', 108)])).toEqual(['目', '录'])
    expect(textsOf([at('目', 72), at('录', 84, { y: 130 })])).toEqual(['目', '录'])
    expect(textsOf([at('目', 72), at('录', 84, { height: 24 })])).toEqual(['目', '录'])
    expect(textsOf([at('共', 72), at('17', 84, { width: 13 }), at('页', 98)])).toEqual(['共', '17', '页'])
  })
})

describe('a word written from right to left', () => {
  test.each([
    ['.للمشكلات', ['للمشكلات.']],
    ['،البيانات', ['البيانات،']],
    ['اإلنتاجية', ['الإنتاجية']],
    ['باإلضافة', ['بالإضافة']],
    ['حالة', ['حالة']],
    ['شلام', ['شلام']],
    ['Pythonو', ['Python', 'و']],
    ['منPython', ['من', 'Python']],
    ['2024م', ['2024م']],
    ['است؟', ['است؟']],
    ['خواهم\u200cمی.', ['می\u200cخواهم.']],
    ['.1998-ב', ['ב-1998.']],
    ['א"ת', ['ת"א']],
  ])('%s is read as %j', (printed, words) => {
    expect(textsOf([{ text: printed }])).toEqual(words)
  })

  test('shares its box with an adjacent Latin word', () => {
    const boxes = wordsOf(pageOf([{ text: 'Pythonو', x: 100, width: 70 }]))
    expect(boxes.map(({ x0, x1 }) => [x0, x1])).toEqual([
      [100, 160],
      [160, 170],
    ])
  })
})
