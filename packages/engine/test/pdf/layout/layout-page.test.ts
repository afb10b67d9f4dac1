import { describe, expect, test } from 'vitest'
import { paragraph, type PdfPage, text } from '../../../../../test/support/build-pdf.ts'
import { BuiltPdfs } from '../../../../../test/support/built-pdfs.ts'
import { shared } from '../../../../../test/support/shared.ts'

const pdfs = await shared(BuiltPdfs.open())

const LEFT = [
  'The northern quay was built of',
  'granite that came by sea from',
  'the islands in the west, and it',
  'took eleven years.',
]
const RIGHT = [
  'The southern quay is younger and',
  'stands on wooden piles that must',
  'be renewed every thirty years by',
  'the town.',
]

describe('the layout of a PDF page', () => {
  test('is read column by column, and across when a line runs across', async () => {
    const { markdown } = await pdfs.convert([
      {
        content:
          text(72, 100, 'This line runs across both columns of the page and comes before either of them.') +
          paragraph(72, 130, LEFT) +
          paragraph(320, 130, RIGHT) +
          text(72, 220, 'This line runs across both columns of the page and comes after both of them, too.'),
      },
    ])
    const order = ['comes before either', 'eleven years.', 'The southern quay', 'comes after both'].map((part) =>
      markdown.indexOf(part),
    )
    expect(order).toEqual([...order].sort((a, b) => a - b))
    expect(order).not.toContain(-1)
    expect(markdown).toContain('The northern quay was built of granite that came by sea')
  })

  test('reads questions with their answers column by column, though their markers are apart', async () => {
    const column = (x: number, number: number, question: string): string =>
      text(x, 100, `${number}.`) +
      paragraph(x + 24, 100, [`Which of these does the ${question}`, 'allow at night? Please select all that apply.']) +
      ['Mooring unlit', 'Loading of timber', 'Fishing there']
        .map(
          (answer, index) =>
            text(x + 24, 150 + index * 20, '-') + text(x + 48, 150 + index * 20, `${answer} (${question})`),
        )
        .join('')
    const { markdown } = await pdfs.convert([
      { content: column(72, 1, 'northern quay') + column(356, 2, 'southern quay') },
    ])
    expect(markdown.indexOf('Fishing there (northern quay)')).toBeLessThan(markdown.indexOf('2. Which'))
    expect(markdown).not.toContain('|')
  })

  test('reads parallel addresses one after the other, and the table below them separately', async () => {
    const address = (x: number, ...lines: readonly string[]): string => paragraph(x, 90, lines)
    const table = ['Terms', 'Order', 'Region', 'Due'].map(
      (title, index) => text(72 + index * 110, 165, title) + text(72 + index * 110, 180, `2026-0${index + 1}-04`),
    )
    const both =
      address(72, 'Bill to', 'Quay Council', '4 Tide Street') + address(320, 'Ship to', 'Pilot Station', '9 Outer Mole')
    const { markdown } = await pdfs.convert([{ content: both + table.join('') }])
    expect(markdown).toMatch(/Bill to\s+Quay Council 4 Tide Street\s+(?:## )?Ship to\s+Pilot Station 9 Outer Mole/)
    expect(markdown).toContain('| Terms | Order | Region | Due |')
  })

  test('treats titles of slides and bold lines as headings, but not the first line of their text', async () => {
    const slide = (title: string): PdfPage => ({
      size: [842, 595],
      content:
        text(60, 250, title, 36) +
        text(60, 320, 'Three things to know', 24) +
        text(60, 360, 'Ships come at high water and leave at low water.', 14),
    })
    const { markdown } = await pdfs.convert([slide('Harbours'), slide('Tides')])
    expect(markdown.match(/^#.*$/gm)).toEqual(['# Harbours', '# Tides'])
    expect(markdown.match(/^Three things to know/gm)).toHaveLength(2)
  })

  test('joins lines to paragraphs and hyphenated words, but keeps the hyphens of compounds', async () => {
    const lines = [
      'Every ship that enters must an-',
      'nounce itself; a long-',
      'term berth is given by the har-',
      'bour master alone, whoever asks.',
    ]
    const { markdown } = await pdfs.convert([{ content: paragraph(72, 100, lines) }])
    expect(markdown).toBe(
      'Every ship that enters must announce itself; a long-term berth is given by the harbour master alone, whoever asks.',
    )
  })

  test('has lists with their nesting', async () => {
    const { markdown, blocks } = await pdfs.convert([
      {
        content:
          text(72, 100, '1. Ask for a berth') +
          text(72, 114, '2. Pay the dues:') +
          text(90, 128, '\x95 at the office, or') +
          text(90, 142, '\x95 by post') +
          text(72, 156, '3. Sail in'),
      },
    ])
    expect(markdown).toBe('1. Ask for a berth\n2. Pay the dues:\n  - at the office, or\n  - by post\n3. Sail in')
    expect(blocks?.[0]?.items.map((item) => item.type)).toEqual(['text', 'text', 'text', 'text', 'text'])
  })

  test('reads parallel lists from top to bottom, and multiple-choice answers across', async () => {
    const list = (x: number, items: readonly string[]) =>
      items.map((item, index) => text(x, 120 + index * 18, item)).join('')
    const lists = list(72, ['1. Sloop', '2. Brig', '3. Barque']) + list(260, ['\x95 Quay', '\x95 Mole', '\x95 Pier'])
    const { markdown } = await pdfs.convert([{ content: text(72, 80, 'Ships and where they lie') + lists }])
    expect(markdown.match(/Sloop|Brig|Barque|Quay|Mole|Pier/g)).toEqual([
      'Sloop',
      'Brig',
      'Barque',
      'Quay',
      'Mole',
      'Pier',
    ])
    const answers = list(72, ['1. Sloop', '3. Barque']) + list(260, ['2. Brig', '4. Ketch'])
    const { markdown: across } = await pdfs.convert([{ content: text(72, 80, 'Which one is it?') + answers }])
    expect(across.match(/Sloop|Brig|Barque|Ketch/g)).toEqual(['Sloop', 'Brig', 'Barque', 'Ketch'])
  })

  test('has an item for a bullet a little above its line', async () => {
    const items = ['The northern quay', 'The southern quay'].map(
      (item, index) => text(84, 120 + index * 40, '\x95') + text(110, 131 + index * 40, item),
    )
    const { markdown } = await pdfs.convert([{ content: text(72, 80, 'Places of the harbour:') + items.join('') }])
    expect(markdown).toContain('- The northern quay\n- The southern quay')
  })

  test('recognises headings by their size, and captions by their first word', async () => {
    const { blocks } = await pdfs.convert([
      {
        content:
          text(72, 80, 'Harbour Report', 24, 'bold') +
          text(72, 120, 'Traffic', 16, 'bold') +
          paragraph(72, 150, LEFT) +
          text(72, 230, 'Table 3: Ships by size', 10, 'italic') +
          paragraph(72, 260, RIGHT),
      },
    ])
    expect(blocks?.[0]?.items.map((item) => item.type)).toEqual(['title', 'section_header', 'text', 'caption', 'text'])
    expect(blocks?.[0]?.items.slice(0, 2).map((item) => item.content)).toEqual(['# Harbour Report', '## Traffic'])
  })

  test('never turns its text into Markdown of another meaning', async () => {
    const { markdown } = await pdfs.convert([
      { content: text(72, 100, '# of ships *not* counted in <table> 4_5 and `so` on were many, all in all.') },
    ])
    expect(markdown).toBe('\\# of ships \\*not\\* counted in \\<table> 4_5 and \\`so\\` on were many, all in all.')
  })
})

describe('running headers, footers and page numbers', () => {
  const page = (number: number, body: readonly string[]): PdfPage => ({
    content:
      text(72, 40, 'Annual report of the harbour', 9) + paragraph(72, 120, body) + text(290, 760, `Page ${number}`, 9),
  })
  const pages = [page(7, LEFT), page(8, RIGHT), page(9, LEFT)]

  test('are left out of the main content, but keep their boxes and text', async () => {
    const { markdown, blocks } = await pdfs.convert(pages)
    expect(markdown).not.toContain('Annual report')
    const [first] = blocks ?? []
    expect(first?.items.map((item) => item.type)).toEqual(['page_header', 'text', 'page_number'])
    expect(first?.items[0]).toMatchObject({ content: 'Annual report of the harbour', markdownSpan: null })
    expect(first?.items[2]).toMatchObject({ content: 'Page 7', markdownSpan: null })
    expect(first?.items[0]?.bbox?.[1]).toBeLessThan(0.06)
  })

  test('are in the Markdown when all content is requested', async () => {
    const { markdown, blocks } = await pdfs.convert(pages, { onlyMainContent: false })
    expect(markdown.match(/Annual report/g)).toHaveLength(3)
    expect(blocks?.[1]?.items.map((item) => item.content)).toEqual([
      'Annual report of the harbour',
      RIGHT.join(' '),
      'Page 8',
    ])
  })

  test('do not cut a paragraph that continues on the next page', async () => {
    const { markdown, blocks } = await pdfs.convert([
      page(7, LEFT.slice(0, 3)),
      page(8, ['took eleven years of work.', ...RIGHT]),
      page(9, LEFT),
    ])
    expect(markdown).toContain('the islands in the west, and it took eleven years of work.')
    const second = blocks?.[1]?.items.find((item) => item.type === 'text')
    expect(markdown.slice(...(second?.markdownSpan ?? []))).toBe(second?.content)
    const marked = await pdfs.convert([page(7, LEFT.slice(0, 3)), page(8, ['took eleven years.'])], {
      pageMarkers: true,
    })
    expect(marked.markdown).toContain('and it\n\n---\n\n<!-- page 2 -->\n\ntook eleven years.')
  })
})
