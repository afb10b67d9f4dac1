import { expect, test } from 'vitest'
import { lettersInLines as lettersOn } from '../../../src/pdf/ink/running-text.ts'

const lettersInLines = (pieces: Parameters<typeof lettersOn>[0]): number =>
  lettersOn(pieces, { width: 425, height: 550 })

/** Words of five letters, 20 wide and 6 high. */
const at = (corners: readonly (readonly [x: number, y: number])[]) =>
  corners.map(([x, y]) => ({ x0: x, y0: y, x1: x + 20, y1: y + 6, letters: 5 }))

test('closely spaced words are lines of running text, also when lines slope', () => {
  const line = at([0, 1, 2, 3, 4].map((index) => [index * 23, index]))
  expect(lettersInLines(line)).toBe(25)
  const upwards = line.map(({ x0, y0, x1, y1, letters }) => ({ x0: y0, y0: x0, x1: y1, y1: x1, letters }))
  expect(lettersInLines(upwards)).toBe(25)
  // Whatever else stands on the page.
  expect(lettersInLines([...at([[0, 300]]), ...line, ...at([[200, 40]])])).toBe(25)
})

test('labels of axes, legends and boxes are not running text, but dense small print is', () => {
  expect(lettersInLines(at([0, 1, 2, 3, 4, 5].map((index) => [index * 40, 0])))).toBe(0)
  expect(lettersInLines(at([0, 1, 2, 3, 4, 5].map((index) => [0, index * 9])))).toBe(0)
  const pairs = [0, 1, 2, 3].flatMap((row): [number, number][] => [
    [0, row * 12],
    [23, row * 12],
  ])
  expect(lettersInLines(at(pairs))).toBe(0)
  expect(lettersInLines([])).toBe(0)
  expect(lettersInLines([{ x0: 0, y0: 0, x1: 120, y1: 4, letters: 40 }])).toBe(40)
})

test('a mark much higher than the adjacent words is not part of their line', () => {
  const words = at([
    [0, 0],
    [23, 0],
  ])
  expect(lettersInLines([...words, { x0: 46, y0: -10, x1: 110, y1: 12, letters: 8 }])).toBe(0)
})

test('lines that are all narrower than a column are a logo with its slogan', () => {
  const line = at([0, 1, 2].map((index) => [index * 23, 0]))
  expect(lettersInLines(line)).toBe(0)
  expect(lettersInLines([...line, ...at([0, 1, 2, 3].map((index) => [index * 23, 9]))])).toBe(35)
})
