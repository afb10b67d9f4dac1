import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import type { FigureBox } from '../../src/pages/crop-figures.ts'
import { FigureCropper } from '../../src/pages/figure-cropper.ts'
import { buildPdf, lockedPdf, type PdfPage, text } from '../../../../test/support/build-pdf.ts'
import { decodeRgb, type RgbPicture } from '../../../../test/support/decode-rgb.ts'
import { Random } from '../../../../test/support/random.ts'
import { tempFolder } from '../../../../test/support/temp-folder.ts'
import { seedFrom } from '../../../../test/support/seed.ts'

/** `FIGURE_SEED=7` draws other pages; a failure prints the seed. */
const FIRST = seedFrom('FIGURE_SEED', 1)
const DRAWS = Number(process.env['FIGURE_DRAWS'] ?? 12)

const env = { PATH: process.env['PATH'] ?? '' }
const DPI = 100

type Rgb = readonly [number, number, number]
const CORNERS: readonly Rgb[] = [
  [255, 0, 0],
  [0, 255, 0],
  [0, 0, 255],
  [255, 255, 0],
]

type Box = readonly [number, number, number, number]

interface DrawnFigure {
  readonly page: PdfPage
  readonly bbox: Box
  readonly aspect: number
}

/** A page with a box whose quarters have four colours, and where the box stands on the page as it is shown. */
function drawnFigure(random: Random): DrawnFigure {
  const [x0, y0] = [100 + random.below(100), 200 + random.below(200)]
  const [width, height] = [2 * (20 + random.below(60)), 2 * (20 + random.below(60))]
  const quarter = (corner: number, x: number, y: number): string =>
    `${(CORNERS[corner] as Rgb).map((value) => value / 255).join(' ')} rg ${x} ${y} ${width / 2} ${height / 2} re f\n`
  // As they are seen: top left, top right, bottom left, bottom right.
  const content =
    quarter(0, x0, y0 + height / 2) +
    quarter(1, x0 + width / 2, y0 + height / 2) +
    quarter(2, x0, y0) +
    quarter(3, x0 + width / 2, y0)
  const cropBox = [random.below(90), random.below(90), 612 - random.below(90), 792 - random.below(90)] as const
  const [left, bottom, right, top] = random.below(2) === 0 ? ([0, 0, 612, 792] as const) : cropBox
  const [wide, high] = [right - left, top - bottom]
  const bbox = [(x0 - left) / wide, (top - y0 - height) / high, (x0 + width - left) / wide, (top - y0) / high] as const
  return { page: { content, cropBox: [left, bottom, right, top] }, bbox, aspect: wide / high }
}

/** Where a box and its corners come to lie when the page is turned clockwise. */
function turned({ bbox: [x0, y0, x1, y1], aspect }: DrawnFigure, rotate: 0 | 90 | 180 | 270) {
  if (rotate === 90) return { bbox: [1 - y1, x0, 1 - y0, x1] as const, aspect: 1 / aspect, corners: [2, 0, 3, 1] }
  if (rotate === 180) return { bbox: [1 - x1, 1 - y1, 1 - x0, 1 - y0] as const, aspect, corners: [3, 2, 1, 0] }
  if (rotate === 270) return { bbox: [y0, 1 - x1, y1, 1 - x0] as const, aspect: 1 / aspect, corners: [1, 3, 0, 2] }
  return { bbox: [x0, y0, x1, y1] as const, aspect, corners: [0, 1, 2, 3] }
}

/** The picture holds the four quarters and nothing else; its outer pixels and the middle may be mixed. */
function quartersOf({ width, height, at }: RgbPicture): readonly (Rgb | 'mixed')[] {
  const inside = (from: number, to: number): readonly number[] =>
    Array.from({ length: to - from - 4 }, (_, index) => from + 2 + index)
  const [columns, rows] = [
    [inside(0, width >> 1), inside(width >> 1, width)],
    [inside(0, height >> 1), inside(height >> 1, height)],
  ]
  return rows.flatMap((ys) =>
    columns.map((xs): Rgb | 'mixed' => {
      const seen = new Set(ys.flatMap((y) => xs.map((x) => at(x, y).join())))
      return seen.size === 1 ? at(xs[0] ?? 0, ys[0] ?? 0) : 'mixed'
    }),
  )
}

describe('FigureCropper', { timeout: 300_000 }, () => {
  const folder = tempFolder()
  const cropper = new FigureCropper({ env, children: 1, timeoutMs: 240_000 })
  let files = 0
  afterAll(async () => {
    await cropper[Symbol.asyncDispose]()
    await (await folder)[Symbol.asyncDispose]()
  })

  async function cropped(bytes: Buffer, figures: readonly FigureBox[], turnsPages = false, by = cropper) {
    const path = join((await folder).path, `${files++}.pdf`)
    await writeFile(path, bytes)
    return by.crop({ path, dpi: DPI, turnsPages, figures })
  }

  test(`crops the pixels of each box, for any rotation and crop of the page (${DRAWS} pages from seed ${FIRST})`, async () => {
    const random = new Random(FIRST)
    const rotations = Array.from({ length: DRAWS }, () => random.pick([0, 90, 180, 270] as const))
    const drawn = rotations.map((rotate) => ({ rotate, figure: drawnFigure(random) }))
    const expected = drawn.map(({ rotate, figure }) => turned(figure, rotate))
    const images = await cropped(
      buildPdf(drawn.map(({ rotate, figure }) => ({ ...figure.page, rotate }))),
      expected.map(({ bbox, aspect }, index) => ({ page: index + 1, bbox, aspect })),
    )
    for (const [index, { corners, bbox, aspect }] of expected.entries()) {
      const picture = decodeRgb(Buffer.from(images[index] ?? []))
      const where = `seed ${FIRST}, page ${index + 1}`
      expect(quartersOf(picture), where).toEqual(corners.map((corner) => CORNERS[corner]))
      const shape = ((bbox[2] - bbox[0]) / (bbox[3] - bbox[1])) * aspect
      expect(Math.abs(picture.width - picture.height * shape), where).toBeLessThan(4)
    }
  })

  test.each([0, 90, 180, 270] as const)(
    'crops a figure upright when the engine turned its page by %d degrees',
    async (rotate) => {
      const figure = drawnFigure(new Random(5))
      const page = {
        content: `${figure.page.content}${text(72, 60, 'A line of text that shows how the page lies.')}`,
        rotate,
      }
      const bytes = buildPdf([{ ...page, cropBox: [0, 0, 612, 792] }])
      const whole = drawnBox(figure)
      const [image = null] = await cropped(bytes, [{ page: 1, bbox: whole, aspect: 612 / 792 }], true)
      expect(quartersOf(decodeRgb(Buffer.from(image ?? [])))).toEqual(CORNERS)
    },
  )

  test('draws a page that is too large at a lower resolution', async () => {
    const page = { content: '1 0 0 rg 0 0 14400 14400 re f\n', size: [14_400, 14_400] } as const
    const [image = null] = await cropped(buildPdf([page]), [{ page: 1, bbox: [0.25, 0.25, 0.5, 0.5], aspect: 1 }])
    const picture = decodeRgb(Buffer.from(image ?? []))
    expect([picture.width > 800, picture.width < 900]).toEqual([true, true])
    expect(picture.at(400, 400)).toEqual([255, 0, 0])
  })

  test('returns null for a page of changed shape, for a missing page, and for a box without width', async () => {
    const bytes = buildPdf([{ content: '0 1 0 rg 0 0 612 792 re f\n' }])
    const bbox = [0.1, 0.1, 0.9, 0.9] as const
    const images = await cropped(bytes, [
      { page: 1, bbox, aspect: 792 / 612 },
      { page: 9, bbox, aspect: null },
      { page: 1, bbox: [0.5, 0.1, 0.5, 0.9], aspect: null },
      { page: 1, bbox, aspect: null },
    ])
    expect(images.map((image) => image !== null)).toEqual([false, false, false, true])
  })

  test.each([
    ['no PDF', () => Buffer.from('not a document at all')],
    ['a PDF cut off in its first page', () => buildPdf([{ content: text(72, 72, 'x'.repeat(500)) }]).subarray(0, 300)],
    ['a PDF that needs a password', () => lockedPdf('x', 'p')],
  ])('returns null for %s', async (_, bytes) => {
    expect(await cropped(await bytes(), [{ page: 1, bbox: [0, 0, 1, 1], aspect: null }])).toEqual([null])
  })

  test('returns null and starts no process after disposal', async () => {
    const ended = new FigureCropper({ env, children: 1 })
    await ended[Symbol.asyncDispose]()
    const figure = { page: 1, bbox: [0, 0, 1, 1] as const, aspect: null }
    expect(await cropped(buildPdf([{ content: '' }]), [figure], false, ended)).toEqual([null])
  })

  test.each([
    ['time', { timeoutMs: 1 }],
    ['memory', { memoryBytes: 1 }],
  ])('returns null when the limit of %s ends the process', async (_, limits) => {
    await using limited = new FigureCropper({ env, children: 1, ...limits })
    const pages = [{ content: text(72, 72, 'one') }, { content: text(72, 72, 'two') }]
    const figures = [1, 2].map((page) => ({ page, bbox: [0, 0, 1, 1] as const, aspect: null }))
    expect(await cropped(buildPdf(pages), figures, false, limited)).toEqual([null, null])
  })
})

/** The box of a figure on the whole sheet, whatever part of it the drawn page shows. */
function drawnBox({ page: { cropBox = [0, 0, 612, 792] }, bbox: [x0, y0, x1, y1] }: DrawnFigure): Box {
  const [left, bottom, right, top] = cropBox
  const [wide, high] = [right - left, top - bottom]
  const down = (y: number): number => (792 - top + y * high) / 792
  return [(left + x0 * wide) / 612, down(y0), (left + x1 * wide) / 612, down(y1)]
}
