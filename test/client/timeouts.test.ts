import * as fc from '../support/fast-check.ts'
import { describe, expect, test } from 'vitest'
import { FORMATS, MAX_TIMEOUT_MS, PDF_MODES, type ParseOptionsInput, parseOptionsSchema } from '@sluice/contract'
import { clientTimeoutMs, localTimeoutMs, serverTimeoutMs } from '#src/client/timeouts.ts'

const optionsOf = (input: ParseOptionsInput) => parseOptionsSchema.parse(input)
const size = fc.record({
  bytes: fc.integer({ min: 1, max: 50 * 1024 * 1024 }),
  family: fc.constantFrom(...new Set(Object.values(FORMATS).map(({ family }) => family))),
  pages: fc.option(fc.integer({ min: 1, max: 10_000 })),
})
const options = fc
  .record({ timeout: fc.integer({ min: 1000, max: MAX_TIMEOUT_MS }), mode: fc.constantFrom(...PDF_MODES) })
  .map(({ timeout, mode }) => optionsOf({ timeout, parsers: [{ type: 'pdf', mode }] }))

describe('the timeout of a document', () => {
  test('is within the timeout of its options and the maximum of the contract', () => {
    fc.assert(
      fc.property(options, size, (asked, document) => {
        const ms = serverTimeoutMs(asked, document)
        expect(ms).toBeGreaterThanOrEqual(asked.timeout)
        expect(ms).toBeLessThanOrEqual(MAX_TIMEOUT_MS)
        expect(Number.isInteger(ms)).toBe(true)
      }),
    )
  })

  test('grows with pages, faster with OCR, and with bytes for formats without pages', () => {
    const pdf = (pages: number | null, mode: 'fast' | 'auto' | 'ocr' = 'auto', maxPages?: number) =>
      serverTimeoutMs(optionsOf({ parsers: [{ type: 'pdf', mode, maxPages }] }), { bytes: 1e6, family: 'pdf', pages })
    expect([pdf(1), pdf(40), pdf(1000)]).toEqual([31_000, 90_000, 300_000])
    expect([pdf(40, 'fast'), pdf(40, 'ocr'), pdf(40, 'ocr', 10)]).toEqual([38_000, 150_000, 60_000])
    expect(pdf(null)).toBe(34_000)
    const office = (bytes: number) => serverTimeoutMs(optionsOf({}), { bytes, family: 'office', pages: null })
    expect([office(20_000), office(10e6), office(50e6)]).toEqual([30_000, 70_000, 230_000])
  })

  test('suffices for one attempt at a scan with the embedded engine, and stays short for a small file', () => {
    const local = (family: 'pdf' | 'office', bytes: number) =>
      localTimeoutMs(optionsOf({}), { bytes, family, pages: null })
    expect([local('pdf', 319), local('pdf', 200_000), local('pdf', 5e6)]).toEqual([30_000, 70_000, 300_000])
    expect([local('office', 20_000), local('office', 1e6)]).toEqual([30_000, 70_000])
  })

  test('is longer in the client than in the service, by the time of the upload', () => {
    expect(clientTimeoutMs(30_000, 0)).toBe(45_000)
    expect(clientTimeoutMs(300_000, 50 * 1024 * 1024)).toBe(734_431)
  })
})
