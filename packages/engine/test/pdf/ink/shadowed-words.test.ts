import { expect, test } from 'vitest'
import { shadowedWords } from '../../../src/pdf/ink/shadowed-words.ts'

const [WIDTH, HEIGHT] = [200, 60]
/** A line as high as ten points, without the letters that stand to the left of it. */
const LINE = { x0: 40, y0: 20, x1: 120, y1: 30 }

/** A drawing of a point a pixel: upright strokes each five points from 30 to 120, on paper that is `shade` of white to the left of 40. */
function drawing({ shade, strokes }: { readonly shade: number; readonly strokes: number }) {
  const grey = Uint8Array.from({ length: WIDTH * HEIGHT }, (_, at) => {
    const [x, y] = [at % WIDTH, Math.floor(at / WIDTH)]
    const isInk = x >= strokes && x < LINE.x1 && x % 5 < 2 && y >= LINE.y0 + 1 && y < LINE.y1 - 1
    return (isInk ? 30 : 250) * (x < LINE.x0 ? shade : 1)
  })
  return { width: WIDTH, height: HEIGHT, perPoint: 1, grey }
}

test('a line that continues in a shadow is counted as shadowed', () => {
  expect(shadowedWords(drawing({ shade: 0.6, strokes: 30 }), [LINE])).toBe(1)
})

test('a shadow without letters, letters without a shadow, and read letters are not counted as shadowed', () => {
  expect(shadowedWords(drawing({ shade: 0.6, strokes: 40 }), [LINE])).toBe(0)
  expect(shadowedWords(drawing({ shade: 1, strokes: 30 }), [LINE])).toBe(0)
  expect(shadowedWords(drawing({ shade: 0.6, strokes: 30 }), [LINE, { ...LINE, x0: 28, x1: 38 }])).toBe(0)
})
