import { describe, expect, test } from 'vitest'
import {
  type ParseOptionsInput,
  parseOptionsSchema,
  creditsFor,
  DEFAULT_PRICES,
  FREE,
  type Extension,
} from '@sluice/contract'

const credits = (pages: number | null, options: ParseOptionsInput = {}, extension: Extension = 'pdf'): number =>
  creditsFor(parseOptionsSchema.parse(options), extension, pages, DEFAULT_PRICES)

describe('the price of a document', () => {
  test('is one credit per page of a PDF, and one credit for any other format', () => {
    expect(credits(42)).toBe(42)
    expect(credits(1)).toBe(1)
    expect(credits(null, {}, 'xlsx')).toBe(1)
    expect(credits(42, {}, 'docx')).toBe(1)
  })

  test('is higher for extraction, redaction and zero data retention', () => {
    expect(credits(42, { formats: ['markdown', 'json'] })).toBe(46)
    expect(credits(42, { redactPII: true })).toBe(210)
    expect(credits(42, { zeroDataRetention: true })).toBe(43)
    expect(credits(null, { formats: ['json'], redactPII: { mode: 'fast' } }, 'html')).toBe(9)
  })

  test('excludes pages beyond maxPages, and all pages of a PDF that is not parsed', () => {
    expect(credits(42, { parsers: [{ type: 'pdf', maxPages: 10 }] })).toBe(10)
    expect(credits(42, { parsers: [] })).toBe(1)
  })

  test('is the same with and without pages, blocks and page markers, in every mode', () => {
    const dear: ParseOptionsInput = {
      parsers: [{ type: 'pdf', mode: 'ocr', pages: true, blocks: true, pageMarkers: true }],
    }
    expect(credits(42, dear)).toBe(42)
  })

  test('is the minimum of one credit when the page count is unknown, and zero at the embedded engine', () => {
    expect(credits(null)).toBe(1)
    expect(creditsFor(parseOptionsSchema.parse({ redactPII: true }), 'pdf', 42, FREE)).toBe(0)
  })
})
