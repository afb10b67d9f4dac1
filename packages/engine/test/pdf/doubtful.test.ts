import { describe, expect, test } from 'vitest'
import { gradeOf } from '../../src/grade/grade-page.ts'
import { withDoubt, withExpectedDoubt } from '../../src/pdf/doubtful.ts'
import type { Fragment } from '../../src/pdf/fragment.ts'
import { layoutQuality } from '../../src/pdf/layout-quality.ts'
import { warningOf } from '../../src/pdf/page-warnings.ts'
import { NOTHING_KNOWN } from '../../src/grade/signals.ts'
import { type PageReading } from '../../src/pdf/page-reading.ts'

describe('a PDF page', () => {
  const read: PageReading = { pageNumber: 1, page: null, turn: 0, signals: NOTHING_KNOWN, problems: [] }
  const lost = { ...NOTHING_KNOWN, unreadShare: 1, unreadLetters: 700, inkLetters: 0 }

  test('is doubtful with a grade below a half, and unchanged above', () => {
    expect(withDoubt({ ...read, signals: lost }).problems).toEqual(['doubtful_text'])
    const whole = { ...read, signals: { ...NOTHING_KNOWN, nativeLetters: 900, unreadShare: 0, inkLetters: 880 } }
    expect(withDoubt(whole)).toBe(whole)
  })

  test('is doubtful when OCR read it and expects fewer than nine of ten words to be right', () => {
    // As read from a fax with print of 7 points: 88 of its 110 words are right.
    const scan = {
      ...NOTHING_KNOWN,
      recognisedLetters: 633,
      unreadShare: 0,
      unreadLetters: 0,
      unreadPixelShare: 0,
      inkLetters: 472,
      plausibleShare: 0.976,
      ghostShare: 0,
      ocr: { mean: 0.913, lowest: 0.782, doubtfulShare: 0.013 },
    }
    expect(gradeOf(scan)).toBeGreaterThan(0.5)
    const rest = { problems: [] }
    expect(withExpectedDoubt({ ...rest, signals: scan })).toEqual(['doubtful_text'])
    const sure = { mean: 0.96, lowest: 0.9, doubtfulShare: 0 }
    const clean = { ...scan, ocr: sure }
    expect(withExpectedDoubt({ ...rest, signals: clean })).toEqual([])
    expect(withExpectedDoubt({ ...rest, signals: { ...scan, ocr: null } })).toEqual([])
  })

  test('is reported when recognised in a language without OCR data, which the warning names', () => {
    const german = withDoubt({ ...read, signals: { ...NOTHING_KNOWN, lackingLanguages: ['German'] } })
    expect(german.problems).toEqual(['foreign_language'])
    expect(warningOf([german, { ...german, pageNumber: 3 }])).toBe(
      'These pages are written in German, which OCR has no data for, so its special letters are wrong: 1, 3.',
    )
  })

  test('keeps a problem that it already has', () => {
    const reported = { ...read, signals: lost, problems: ['unread_ink'] as const }
    expect(withDoubt(reported)).toBe(reported)
  })
})

describe('the quality of a layout', () => {
  const fragment = (markdown: string, top: number, type: Fragment['type'] = 'text'): Fragment => ({
    type,
    label: type,
    bbox: { x0: 50, y0: top, x1: 250, y1: top + 40 },
    markdown,
    spacing: 'loose',
    source: 'native_text',
    ocrConfidence: null,
  })

  test('falls with text in blocks that overlap and with empty cells of tables', () => {
    expect(layoutQuality([fragment('one', 50), fragment('two', 100)])).toEqual({ layout: 1, tables: null })
    expect(layoutQuality([fragment('four', 50), fragment('four', 60), fragment('and eight', 200)]).layout).toBeCloseTo(
      9 / 17,
    )
    const table = '| a | b |\n| --- | --- |\n| \\| |  |'
    expect(layoutQuality([fragment(table, 50, 'table')]).tables).toBe(0.75)
  })

  test('is unknown for a page without text', () => {
    expect(layoutQuality([])).toEqual({ layout: null, tables: null })
  })
})
