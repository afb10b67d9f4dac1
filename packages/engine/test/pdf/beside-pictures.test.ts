import type { ParsedPage } from '@llamaindex/liteparse'
import { describe, expect, test } from 'vitest'
import type { GreyPicture } from '../../src/pdf/ink/grey-picture.ts'
import { levelled } from '../../src/pdf/ink/picture-ops.ts'
import { withoutPictures } from '../../src/pdf/ink/without-pictures.ts'
import { pageDrafts } from '../../src/pdf/page-drafts.ts'
import { NOTHING_KNOWN } from '../../src/grade/signals.ts'
import { previewPages } from '../../src/pdf/preview-pages.ts'
import { openPdf } from '../../src/pdf/read-pages.ts'
import { BuiltPdfs } from '../../../../test/support/built-pdfs.ts'
import { photograph } from '../../../../test/support/mixed-pages/damage.ts'
import { setLines, textOperators } from '../../../../test/support/mixed-pages/text-block.ts'
import { writePdf } from '../../../../test/support/mixed-pages/write-pdf.ts'
import { Random } from '../../../../test/support/random.ts'
import { shared } from '../../../../test/support/shared.ts'
import { drawnSheet } from '../../../../test/support/mixed-pages/drawn-page.ts'

const [WIDTH, HEIGHT] = [330, 450]
const SHOWN = 'Ships of up to ninety metres can lie at the northern quay and smaller ones moor behind the breakwater'
const PRINTED =
  'The harbour master keeps a list of all berths in the order of their depth and a boat that draws more than four metres has to wait for the tide before it is allowed to pass the inner gate'
const LARGE = { x: 26, top: 20, width: 278, size: 12, font: 0 }
const BELOW = { x: 26, top: 240, width: 278, size: 9, font: 2 }

const pdfs = await shared(BuiltPdfs.open())

const operators = (words: string, setting: typeof LARGE): string =>
  textOperators(setLines(words.split(' '), setting), setting, HEIGHT)

/** Words in wide spacing, as justified text has: the library takes each for an item of its own. */
function wordByWord(words: string, setting: typeof LARGE): string {
  const advance = 0.6 * setting.size
  const lines = setLines(words.split(' '), { ...setting, width: setting.width / 1.2 })
  const positioned = lines.flatMap(({ text, x, baseline }) =>
    [...text.matchAll(/\S+/g)].map((word, at) => ({
      text: word[0],
      x: x + word.index * advance + at * advance,
      baseline,
    })),
  )
  return textOperators(positioned, setting, HEIGHT)
}

const drawn = (content: string, dpi: number) => drawnSheet({ width: WIDTH, height: HEIGHT }, content, dpi)

const upperHalf = ({ width, height, grey }: GreyPicture): GreyPicture => ({
  width,
  height: height >> 1,
  grey: grey.slice(0, width * (height >> 1)),
})

describe('native text next to a picture', () => {
  test('stays unchanged, line by line, when the picture is skewed', async () => {
    const picture = upperHalf(levelled(await drawn(operators(SHOWN, { ...LARGE, top: 60 }), 200), 0.07))
    const half = { picture, x: 0, top: 0, width: WIDTH, height: HEIGHT / 2 }
    const over = wordByWord(PRINTED, BELOW)
    const path = await pdfs.write(writePdf({ width: WIDTH, height: HEIGHT, pictures: [half], inForm: false, over }))
    const { markdown, warning } = await pdfs.convertFile(path)
    expect(markdown.replace(/\s+/g, ' ')).toContain(PRINTED)
    expect(markdown).toContain('northern')
    expect(warning).toBeNull()
  }, 240_000)

  test.each([5, 6, 7, 8, 9, 10])('counts as visible when short words of %i points are far apart', async (size) => {
    const cells = ['user_name;', 'ORDER BY', 'ID of it', 'Usage', '(c) 2014', 'Name', 'illi', '1.25'].map(
      (text, at) => ({
        text,
        x: 40 + (at % 2) * 150,
        baseline: 240 + at * 22,
      }),
    )
    const photo = { picture: photograph(400, 200, new Random(3)), x: 30, top: 20, width: 200, height: 100 }
    const over = textOperators(cells, { ...BELOW, size, font: 0 }, HEIGHT)
    const pdf = writePdf({ width: WIDTH, height: HEIGHT, pictures: [photo], inForm: false, over })
    const path = await pdfs.write(pdf)
    await using opened = await openPdf(path)
    for await (const batch of opened.batches(1)) {
      const pictures = {
        pdf: { source: path, password: null },
        pages: null,
        withoutPictures: { source: withoutPictures(pdf).file, password: null },
      }
      const preview = (await previewPages(batch, pictures)).get(1)
      expect(batch[0]?.page?.textItems.length).toBeGreaterThan(0)
      expect(typeof preview === 'object' ? [...preview.hidden].map(({ text }) => text) : preview).toEqual([])
    }
  })
})

describe('OCR text next to much native text', () => {
  const item = (text: string, y: number, confidence?: number) => ({
    text,
    x: 40,
    y,
    width: 6 * text.length,
    height: 11,
    fontSize: 11,
    ...(confidence === undefined ? {} : { confidence }),
  })

  const blocksOf = (textItems: readonly object[], figure: object): (string | null)[][] => {
    const blocks = [{ kind: 'figure', bbox: figure }]
    const page = { pageNum: 1, width: WIDTH, height: HEIGHT, text: '', textItems, blocks } as unknown as ParsedPage
    const read = { pageNumber: 1, page, turn: 0, signals: NOTHING_KNOWN, problems: [] } as const
    const { pages } = pageDrafts([read], { onlyMainContent: false, vocabulary: new Set() })
    return (pages[0]?.drafts ?? []).map(({ fragment: { type, markdown, source } }) => [type, markdown, source])
  }
  const title = { ...item('Depths of the quays', 60), height: 20, fontSize: 20 }
  const logo = { x: 30, y: 10, width: 200, height: 40 }

  test('belongs to its figure, after the title even when the figure is above it', () => {
    const labels = [item('berth', 12, 0.9), item('depth', 30, 0.9)]
    expect(blocksOf([title, item(PRINTED.slice(0, 60), 300), ...labels], logo)).toEqual([
      ['section_header', title.text, 'native_text'],
      ['figure', 'berth depth', 'layout_ocr'],
      ['text', PRINTED.slice(0, 60), 'native_text'],
    ])
  })

  test('is text when it is more than labels', () => {
    const [first, second] = [SHOWN.slice(0, 41), SHOWN.slice(42, 78)] as const
    const lines = [item(first, 12, 0.9), item(second, 24, 0.9)]
    expect(blocksOf([title, item(PRINTED.slice(0, 60), 300), ...lines], { ...logo, width: 300 })).toEqual([
      ['figure', '', 'native_text'],
      ['section_header', title.text, 'native_text'],
      ['text', `${first} ${second}`, 'layout_ocr'],
      ['text', PRINTED.slice(0, 60), 'native_text'],
    ])
  })

  test('keeps doubtful words, whose ink counts as read, and omits misread marks of a picture', () => {
    const textItems = [
      item(PRINTED.slice(0, 60), 300),
      item('frightened malibu', 100, 0.46),
      item('ia | 1f', 130, 0.46),
    ]
    const page = { pageNum: 1, width: WIDTH, height: HEIGHT, text: '', textItems } as unknown as ParsedPage
    const read = { pageNumber: 1, page, turn: 0, signals: NOTHING_KNOWN, problems: [] } as const
    const { pages } = pageDrafts([read], { onlyMainContent: false, vocabulary: new Set() })
    const text = pages[0]?.drafts.map(({ fragment }) => fragment.markdown).join(' ')
    expect(text).toContain('frightened malibu')
    expect(text).not.toContain('1f')
  })
})
