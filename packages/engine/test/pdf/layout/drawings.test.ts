import { expect, test } from 'vitest'
import { line, paragraph, text } from '../../../../../test/support/build-pdf.ts'
import { BuiltPdfs } from '../../../../../test/support/built-pdfs.ts'
import { shared } from '../../../../../test/support/shared.ts'

const pdfs = await shared(BuiltPdfs.open())

const PROSE = paragraph(72, 80, [
  'The harbour master measured the level of the water every hour of the day, and wrote it',
  'into the book that lies in the tower. What he found is drawn below, for every month.',
])
/** `top` counted from the upper edge of the page. */
const path = (points: readonly (readonly [number, number])[], paint: string): string =>
  points.map(([x, top], index) => `${x} ${792 - top} ${index === 0 ? 'm' : 'l'}`).join(' ') + ` ${paint}\n`
const bar = (x: number, height: number): string => `0.2 0.4 0.8 rg ${x} ${792 - 400} 14 ${height} re f 0 g\n`

test.each([
  [
    'a graph',
    path(
      [
        [110, 380],
        [160, 300],
        [210, 340],
        [260, 250],
        [310, 270],
      ],
      'S',
    ) +
      line(100, 400, 320, 400) +
      line(100, 240, 100, 400),
  ],
  ['bars', [40, 90, 60, 120].map((height, index) => bar(120 + index * 40, height)).join('') + line(100, 400, 320, 400)],
  [
    'a pie',
    '1 0 0 rg 200 450 m 260 450 260 530 200 530 c f 0 1 0 rg 200 450 m 140 450 140 530 200 530 c f 0 0 1 rg 200 530 m 230 560 260 530 200 490 c f 0 g\n',
  ],
])('%s of lines and surfaces is a figure, and its labels are not a table', async (_, drawing) => {
  const labels = ['Mar', 'Apr', 'May'].map((label, index) => text(130 + index * 50, 330, label, 8)).join('')
  const { blocks, markdown } = await pdfs.convert([{ content: PROSE + drawing + labels }])
  const [page] = blocks ?? []
  expect(page?.items.filter(({ type }) => type === 'figure')).toHaveLength(1)
  expect(markdown).not.toContain('|')
})

test('frames around text, tables and check marks are not figures', async () => {
  const table =
    [200, 220, 240, 260].map((top) => line(72, top, 400, top)).join('') +
    [72, 200, 400].map((x) => line(x, 200, x, 260)).join('')
  const cells = [0, 1, 2]
    .map((row) => text(80, 215 + row * 20, `Berth ${row}`) + text(210, 215 + row * 20, `${row + 3} fathoms`))
    .join('')
  const check = (top: number): string =>
    path(
      [
        [300, top],
        [303, top + 4],
        [309, top - 5],
      ],
      'S',
    )
  const round =
    '100 400 m 400 400 l 410 400 410 410 410 410 c 410 460 l 410 470 400 470 400 470 c 100 470 l 90 470 90 460 90 460 c 90 410 l 90 400 100 400 100 400 c S\n'
  const note = paragraph(
    110,
    345,
    [
      'Ships longer than forty metres must ask for a pilot, who comes aboard',
      'at the outer buoy in any weather, by day and by night, and stays until',
      'the last line is fast and the master has signed for it, in ink.',
    ],
    9,
  )
  const { blocks } = await pdfs.convert([
    { content: PROSE + table + cells + [215, 235, 255].map(check).join('') + round + note },
  ])
  expect(blocks?.[0]?.items.filter(({ type }) => type === 'figure')).toEqual([])
  expect(blocks?.[0]?.items.filter(({ type }) => type === 'table')).toHaveLength(1)
})

test('lines through the words of a page are a background pattern, and make no table', async () => {
  const pattern =
    [60, 85, 110, 135].map((top) => line(40, top, 560, top)).join('') +
    Array.from({ length: 14 }, (_, index) => line(60 + index * 37, 60, 60 + index * 37, 135)).join('')
  const { markdown } = await pdfs.convert([{ content: PROSE + pattern }])
  expect(markdown).not.toContain('|')
  expect(markdown.replace(/\s+/g, ' ')).toContain('hour of the day, and wrote it into the book')
})
