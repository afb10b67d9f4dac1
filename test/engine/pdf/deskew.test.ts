import type { TextItem } from '@llamaindex/liteparse'
import { describe, expect, test } from 'vitest'
import { deskewed, slopeOf } from '#src/engine/pdf/deskew.ts'

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
})
