import { expect, test } from 'vitest'
import { crossedWords } from '../../../src/pdf/ink/crossed-words.ts'
import { inkMask } from '../../../src/pdf/ink/ink-mask.ts'
import { setLines, textOperators } from '../../../../../test/support/mixed-pages/text-block.ts'
import { writePdf } from '../../../../../test/support/mixed-pages/write-pdf.ts'
import { drawnPage } from '../../../../../test/support/mixed-pages/drawn-page.ts'

const [WIDTH, HEIGHT, LINES] = [330, 220, 8]
/** Two columns of a word each, whose letters are 55 points wide, and where rules of a table stand beside them. */
const COLUMNS = [30, 110].map((x) => ({ x, top: 30, width: 70, size: 11, font: 0 }))
const RULES = [24, 104, 184]

const columns = COLUMNS.map((setting) => ({
  setting,
  lines: setLines(
    Array.from({ length: LINES }, () => 'breakwater'),
    setting,
  ),
}))
const boxes = columns.flatMap(({ lines }) =>
  lines.map(({ x, baseline }) => ({ x0: x, y0: baseline - 8, x1: x + 55, y1: baseline })),
)

/** How many of the words upright lines at these distances from the left cross, in points, `from` the upper edge. */
async function crossedBy(lefts: readonly number[], from = 0): Promise<number> {
  const over = columns.map(({ lines, setting }) => textOperators(lines, setting, HEIGHT)).join('')
  const lines = lefts.map((x) => `0 g ${x} 0 0.8 ${HEIGHT - from} re f\n`).join('')
  const source = writePdf({ width: WIDTH, height: HEIGHT, pictures: [], inForm: false, over: over + lines })
  return crossedWords(inkMask(await drawnPage(source, 100)), boxes)
}

test('words crossed by a streak are counted, once for both halves', async () => {
  expect(await crossedBy([50])).toBe(LINES)
  expect(await crossedBy([50, 140])).toBe(2 * LINES)
  // Below the first four lines.
  expect(await crossedBy([50], 90)).toBe(LINES / 2)
})

test('words next to table rules, and the strokes of letters, are not counted as crossed', async () => {
  expect(await crossedBy([])).toBe(0)
  expect(await crossedBy(RULES)).toBe(0)
})
