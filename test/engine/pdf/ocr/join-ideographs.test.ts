import { expect, test } from 'vitest'
import { withJoinedIdeographs } from '#src/engine/pdf/ocr/join-ideographs.ts'

const item = (text: string, x: number, width: number, confidence = 0.9, y = 10, height = 12) => ({
  text,
  x,
  y,
  width,
  height,
  confidence,
})

test('recognised ideographs of a line are one run, with their punctuation, in whatever order they come', () => {
  const flat = item('一', 64, 12, 0.9, 16, 1)
  const [run, ...more] = withJoinedIdeographs([
    flat,
    item('比 较', 10, 24),
    item('”， ', 50, 13),
    item('文', 36, 12, 0.6),
  ])
  expect(more).toEqual([])
  expect(run).toMatchObject({ text: '比较文”，一', x: 10, y: 10, width: 66, height: 12 })
  expect(run?.confidence).toBeCloseTo((5 * 0.9 + 0.6) / 6)
})

test('recognised ideographs stay apart across a gutter, on another line, and beside words of other scripts', () => {
  const apart = [item('比较', 10, 24), item('文', 60, 12), item('学', 60, 12, 0.9, 30), item('1990', 74, 30, 0.9, 30)]
  const all = [...apart, item('“美', 200, 24), item('Fine', 226, 24), item('Art', 252, 18)]
  expect(withJoinedIdeographs(all)).toHaveLength(7)
  expect(withJoinedIdeographs([item('“Fine', 10, 30), item('Art”', 42, 24)])).toHaveLength(2)
})
