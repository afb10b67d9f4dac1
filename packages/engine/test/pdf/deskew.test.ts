import type { TextItem } from '@llamaindex/liteparse'
import { describe, expect, test } from 'vitest'
import { deskewed, slopeOf } from '../../src/pdf/ocr/deskew.ts'
import { Random } from '../../../../test/support/random.ts'
import { seedFrom } from '../../../../test/support/seed.ts'

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

const LEFT = [40, 240, 440]

/** Three columns of Chinese, a line in one item, at heights of their own and with paragraphs of a few lines. */
function columns(random: Random): TextItem[] {
  return LEFT.flatMap((left) => {
    let y = 80 + random.below(13)
    return Array.from({ length: 44 }, (): TextItem => {
      const isLast = random.chance(0.2)
      const line = {
        text: '潮'.repeat(isLast ? 9 : 18),
        x: left,
        y,
        width: isLast ? 90 : 180,
        height: 9,
        confidence: 0.95,
      }
      y += isLast ? 17 : 13
      return line
    })
  })
}

const inWords = (line: TextItem): TextItem[] =>
  Array.from({ length: line.width / 45 }, (_, word) => ({ ...line, text: 'tide', x: line.x + word * 45, width: 40 }))

describe('a skewed scan', () => {
  test.each([0.012, 0.03, -0.026, 0.05])('is deskewed (slope %d)', (slope) => {
    expect(slopeOf(scanned(slope))).toBeCloseTo(slope, 2)
    const level = deskewed(scanned(slope))
    for (const [index, item] of level.entries()) {
      expect(Math.abs(item.y - (100 + Math.floor(index / 5) * 14))).toBeLessThan(2)
      expect(item.height).toBeCloseTo(10, 0)
    }
  })

  test.each([0.4, 3])('is deskewed in points of any size (%d of those of paper)', (scale) => {
    const sized = ({ x, y, width, height, ...item }: TextItem): TextItem => ({
      ...item,
      x: x * scale,
      y: y * scale,
      width: width * scale,
      height: height * scale,
    })
    for (const slope of [0, 0.03, -0.026]) expect(slopeOf(scanned(slope).map(sized))).toBeCloseTo(slope, 2)
  })

  test('gets upright columns', () => {
    const turned = columns(new Random(FIRST_SEED))
      .flatMap(inWords)
      .map((item): TextItem => {
        const [x, y] = [item.x + item.width / 2, item.y + item.height / 2]
        return { ...item, x: x - 0.012 * y - item.width / 2, y: y + 0.012 * x - item.height / 2 }
      })
    for (const left of LEFT) {
      const inColumn = deskewed(turned).filter(({ x }) => Math.abs(x - left) < 15)
      expect(inColumn.length).toBeGreaterThan(30)
      for (const { x } of inColumn) expect(Math.abs(x - left)).toBeLessThan(3)
    }
  })

  test('stays unchanged when the lines of its columns are at different heights', () => {
    const slopes = Array.from({ length: 50 }, (_, index) => slopeOf(columns(new Random(FIRST_SEED + index))))
    expect(slopes.filter((slope) => slope !== 0)).toEqual([])
  })

  test('stays unchanged when it is straight', () => {
    expect(deskewed(scanned(0))).toEqual(scanned(0))
    expect(deskewed([])).toEqual([])
  })

  test('stays unchanged with a few level lines of words of any length and letters of any height', () => {
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
