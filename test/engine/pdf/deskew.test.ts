import type { TextItem } from '@llamaindex/liteparse'
import { describe, expect, test } from 'vitest'
import { deskewed, slopeOf } from '#src/engine/pdf/deskew.ts'
import { Random } from '../../support/random.ts'
import { seedFrom } from '../../support/seed.ts'

const FIRST_SEED = seedFrom('DESKEW_SEED', 0)

/** Twenty lines of five words, as a scanner sees them on a sheet that lies askew by `slope`. */
function scanned(slope: number): TextItem[] {
  return Array.from({ length: 100 }, (_, index): TextItem => {
    const [line, word] = [Math.floor(index / 5), index % 5]
    const [x, level] = [72 + word * 90, 100 + line * 14]
    const rise = 80 * Math.abs(slope)
    const top = level + x * slope - (slope < 0 ? rise : 0)
    return { text: 'lighthouse', x, y: top, width: 80, height: 10 + rise, confidence: 0.9 }
  })
}

describe('a crooked scan', () => {
  test.each([0.012, 0.03, -0.026, 0.05])('is made level (slope %d)', (slope) => {
    expect(slopeOf(scanned(slope))).toBeCloseTo(slope, 2)
    const level = deskewed(scanned(slope))
    for (const [index, item] of level.entries()) {
      expect(Math.abs(item.y - (100 + Math.floor(index / 5) * 14))).toBeLessThan(2)
      expect(item.height).toBeCloseTo(10, 0)
    }
  })

  test('is left as it is when it lies straight', () => {
    expect(deskewed(scanned(0))).toEqual(scanned(0))
    expect(deskewed([])).toEqual([])
  })

  test('is left as it is when it holds a few level lines of words of any length, with letters of any height', () => {
    const slopes = Array.from({ length: 200 }, (_, index) => {
      const random = new Random(FIRST_SEED + index)
      const items = Array.from({ length: 3 }, (_line, line): TextItem[] => {
        let x = 26
        return Array.from({ length: 3 + random.below(6) }, (): TextItem => {
          const text = 'lighthouse'.slice(0, 2 + random.below(8))
          const [up, down] = [random.below(4), random.below(3)]
          const word = { text, x, y: 30 + line * 14 + up, width: text.length * 5.5, height: 10 - up + down }
          x += word.width + 5
          return { ...word, confidence: 0.9 }
        })
      })
      return slopeOf(items.flat())
    })
    expect(slopes.filter((slope) => slope !== 0)).toEqual([])
  })
})
