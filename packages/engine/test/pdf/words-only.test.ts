import { expect, test } from 'vitest'
import { showsOnlyWords } from '../../src/pdf/words-only.ts'
import { wordsOf } from '../../src/pdf/geometry/words.ts'
import { openPdf } from '../../src/pdf/read-pages.ts'
import { BuiltPdfs } from '../../../../test/support/built-pdfs.ts'
import { randomPage } from '../../../../test/support/mixed-pages/random-page.ts'
import { setLines, textOperators } from '../../../../test/support/mixed-pages/text-block.ts'
import { writePdf } from '../../../../test/support/mixed-pages/write-pdf.ts'
import { seedFrom } from '../../../../test/support/seed.ts'
import { shared } from '../../../../test/support/shared.ts'
import { drawnPage } from '../../../../test/support/mixed-pages/drawn-page.ts'

/** `GLANCE_DRAWS=500 GLANCE_SEED=…` for a long run. */
const draws = Number(process.env['GLANCE_DRAWS'] ?? 8)
const firstSeed = seedFrom('GLANCE_SEED', 'fresh')

const pdfs = await shared(BuiltPdfs.open())

/** `lost` words are on the page and did not come out. */
async function glanceAt(pdf: Buffer, lost = ''): Promise<boolean> {
  const source = await pdfs.write(pdf)
  const drawing = await drawnPage(source, 50)
  await using opened = await openPdf(source)
  for await (const [read] of opened.batches(1)) {
    if (!read?.page) continue
    return showsOnlyWords(
      drawing,
      wordsOf(read.page).filter(({ text }) => text !== lost),
    )
  }
  throw new Error('the page was not read')
}

test(`a glance decides pages with only words, and no page with more (${draws} draws from seed ${firstSeed})`, async () => {
  let [plain, settled] = [0, 0]
  const wrong: object[] = []
  for (let seed = firstSeed; seed < firstSeed + draws; seed += 1) {
    const { kind, pdf, words } = await randomPage(seed)
    const isSettled = await glanceAt(pdf)
    if (kind === 'native') plain += 1
    if (kind === 'native' && isSettled) settled += 1
    // A layer that covers a picture of words is distinguished from print by drawing the page without its pictures.
    if (isSettled && words.length > 0 && !kind.startsWith('native') && !kind.endsWith('_layer'))
      wrong.push({ seed, kind })
  }
  console.log(`GLANCE_SEED=${firstSeed} ${settled} of ${plain} plain pages settled`)
  expect(wrong).toEqual([])
  expect(settled).toBeGreaterThanOrEqual(0.9 * plain)
}, 240_000)

const [WIDTH, HEIGHT] = [330, 220]
const SETTING = { x: 26, top: 30, width: 278, size: 11, font: 0 }
const TEXT = textOperators(
  setLines('Ships of up to ninety metres can lie at the quay'.split(' '), SETTING),
  SETTING,
  HEIGHT,
)

test.each([
  ['rules and an empty grid', '0.5 w 20 60 m 310 60 l S 20 20 290 30 re S 20 35 m 310 35 l S 90 20 m 90 50 l S', true],
  ['shade', '0.9 g 20 20 290 60 re f', false],
  ['faint letters that no text operator wrote', '0.9 g 40 60 3 9 re f 46 60 3 9 re f 52 60 9 3 re f', false],
  [
    'invisible words',
    textOperators([{ text: 'Nothing of this shows', x: 26, baseline: 160 }], SETTING, HEIGHT, { mode: 3 }),
    false,
  ],
])('a glance decides rightly about a page with words and %s', async (_, under, isPlain) => {
  const pdf = writePdf({
    width: WIDTH,
    height: HEIGHT,
    pictures: [],
    inForm: false,
    under: `${under}\n0 g `,
    over: TEXT,
  })
  expect(await glanceAt(pdf)).toBe(isPlain)
})

test('a glance finds a noisy picture of words next to much text, though all its marks are connected', async () => {
  const { kind, damage, pdf } = await randomPage(92_000_157)
  expect([kind, damage]).toEqual(['half', 'noise'])
  expect(await glanceAt(pdf)).toBe(false)
})

test('a glance at a page finds a word that its text layer lacks', async () => {
  const pdf = writePdf({ width: WIDTH, height: HEIGHT, pictures: [], inForm: false, over: TEXT })
  expect(await glanceAt(pdf, 'ninety')).toBe(false)
})
