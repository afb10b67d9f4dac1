import type { TextItem } from '@llamaindex/liteparse'
import { expect, test } from 'vitest'
import { plausibleShare } from '../../src/pdf/page/letters.ts'

const item = (text: string): TextItem => ({ text, x: 0, y: 0, width: 100, height: 10 })

test('the plausible share of recognised letters counts words, numbers and ideographs, but no scraps', () => {
  expect(plausibleShare([item('Ships of 90 metres')])).toBe(1)
  expect(plausibleShare([item('sH1p5 of')])).toBeCloseTo(2 / 7)
  expect(plausibleShare([item('“比较文学”成为（一个）'), item('1990年')])).toBe(1)
  expect(plausibleShare([item('比较 Kx7Q')])).toBeCloseTo(2 / 6)
  expect(plausibleShare([])).toBeNull()
})
