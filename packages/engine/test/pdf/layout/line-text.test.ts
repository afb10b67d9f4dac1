import { describe, expect, test } from 'vitest'
import { inReadingOrder, joinedText, lineText } from '../../../src/pdf/geometry/line-text.ts'
import type { Word } from '../../../src/pdf/geometry/words.ts'
import { plainWord } from './plain-word.ts'

/** Words as they stand on the page, from left to right. */
function printed(...texts: readonly string[]): Word[] {
  return texts.map((text, index) => ({
    ...plainWord(text, 10),
    x0: index * 50,
    y0: 100,
    x1: index * 50 + 40,
    y1: 112,
    baseline: 110,
  }))
}

describe('the text of a PDF line', () => {
  test('of Hebrew or Arabic is read from right to left, its numbers and Latin names from left to right', () => {
    expect(lineText(inReadingOrder(printed('הנמל', 'נבנה', 'בשנת')))).toBe('בשנת נבנה הנמל')
    expect(lineText(inReadingOrder(printed('שלום', 'Port', 'Sudan', 'ב')))).toBe('ב Port Sudan שלום')
  })

  test('of Latin letters stays unchanged', () => {
    expect(lineText(inReadingOrder(printed('The', 'old', 'harbour')))).toBe('The old harbour')
  })
})

describe('lines of a paragraph', () => {
  const known = new Set(['harbour', 'long-term', 'master'])

  test.each([
    [['The har-', 'bour'], 'The harbour'],
    [['a long-', 'term berth'], 'a long-term berth'],
    [['a well-', 'known port'], 'a well-known port'],
    [['ships of 30-', 'metre length'], 'ships of 30- metre length'],
    [['from the Port-', 'Sudan line'], 'from the Port- Sudan line'],
    [['港口建于', '一八四二年'], '港口建于一八四二年'],
  ])('%j become %j', (lines, text) => {
    expect(joinedText(lines, known)).toBe(text)
  })
})
