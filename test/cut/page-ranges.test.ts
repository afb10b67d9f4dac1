import * as fc from '../support/fast-check.ts'
import { expect, test } from 'vitest'
import { evenRanges, pagesIn, type PageRange } from '#src/cut/page-ranges.ts'

const pagesOf = (ranges: readonly PageRange[]): number[] =>
  ranges.flatMap(({ firstPage, lastPage }) =>
    Array.from({ length: lastPage - firstPage + 1 }, (_, index) => firstPage + index),
  )
const upTo = (last: number): number[] => Array.from({ length: last }, (_, index) => index + 1)

const cuts = fc.record({
  pages: fc.integer({ min: 1, max: 500 }),
  bytes: fc.integer({ min: 1, max: 1e9 }),
  limitBytes: fc.integer({ min: 1e6, max: 1e8 }),
})

test('page ranges name every page once, in order, up to the last requested page', () => {
  fc.assert(
    fc.property(cuts, fc.integer({ min: 1, max: 600 }), (cut, wanted) => {
      expect(pagesOf(evenRanges(cut, wanted))).toEqual(upTo(Math.min(wanted, cut.pages)))
    }),
  )
})

test('page ranges break at the same pages for any number of requested pages', () => {
  fc.assert(
    fc.property(cuts, fc.integer({ min: 1, max: 600 }), (cut, wanted) => {
      const all = evenRanges(cut, cut.pages)
      expect(evenRanges(cut, wanted).slice(0, -1)).toEqual(all.slice(0, evenRanges(cut, wanted).length - 1))
    }),
  )
})

test('no page range of a cut PDF has more pages than the limit', () => {
  fc.assert(
    fc.property(cuts, fc.integer({ min: 1, max: 100 }), (cut, mostPages) => {
      const ranges = evenRanges({ ...cut, mostPages }, cut.pages)
      expect(pagesOf(ranges)).toEqual(upTo(cut.pages))
      expect(Math.max(...ranges.map((range) => pagesIn(range).length))).toBeLessThanOrEqual(mostPages)
    }),
  )
})
