import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { utils, write } from '@e965/xlsx'
import { describe, expect, test } from 'vitest'
import { type AnchoredBlock, type Anchor, anchorOfLines, extensionOf, type Extension } from '@sluice/contract'
import { anchoredBlocks } from '../../src/anchors/anchored-blocks.ts'
import type { Conversion } from '../../src/conversion.ts'
import { redactConversion } from '../../src/redact/redact-conversion.ts'
import { Random } from '../../../../test/support/random.ts'
import { bookFile } from '../office/generated/book-file.ts'
import { openSlideFile } from '../office/generated/open-document.ts'
import { slideFile } from '../office/generated/slide-file.ts'
import { wordFile } from '../office/generated/word-file.ts'
import { seedFrom } from '../../../../test/support/seed.ts'
import { convertBytes } from '../../../../test/support/convert-bytes.ts'

/** `ANCHOR_DRAWS=300 ANCHOR_SEED=…` for a long run; a failure prints the seed of its file. */
const draws = Number(process.env['ANCHOR_DRAWS'] ?? 6)
const firstSeed = seedFrom('ANCHOR_SEED', 'fresh')
const SEEDS = Array.from({ length: draws }, (_, index) => firstSeed + index)

const NOTES = new Set(['footnote', 'endnote'])

const convert = (bytes: Buffer | string, extension: Extension, extensions = true): Promise<Conversion> =>
  convertBytes(bytes, extension, { extensions })

function blocksOf({ markdown, marks = [] }: Conversion): readonly AnchoredBlock[] {
  return anchoredBlocks(markdown, marks) ?? []
}

/** The blocks are in order, overlap nowhere, and hold all of the document but white space. */
function expectPartition(markdown: string, blocks: readonly AnchoredBlock[], note: string): void {
  let from = 0
  let between = ''
  for (const { markdownSpan: span } of blocks) {
    expect(span[0], note).toBeGreaterThanOrEqual(from)
    between += markdown.slice(from, span[0])
    from = span[1]
  }
  expect((between + markdown.slice(from)).trim(), note).toBe('')
}

describe('anchors of generated files', () => {
  test.each([
    ['slide', slideFile],
    ['slide', openSlideFile],
    ['chapter', bookFile],
  ] as const)('name the %s of every word, and change no character of the Markdown (%#)', async (unit, make) => {
    for (const seed of SEEDS) {
      const note = `seed ${seed}`
      const { bytes, extension, words } = make(seed)
      const conversion = await convert(bytes, extension)
      expect(conversion.markdown, note).toBe((await convert(bytes, extension, false)).markdown)
      const blocks = blocksOf(conversion)
      expectPartition(conversion.markdown, blocks, note)
      for (const { word, position, construct } of words) {
        const at = conversion.markdown.indexOf(word)
        // Notes of a text stand at its end.
        if (at === -1 || NOTES.has(construct)) continue
        const block = blocks.find(({ markdownSpan: [start, end] }) => start <= at && at < end)
        expect(block?.anchor, `${note}, ${word}`).toMatchObject({ [unit]: position })
      }
    }
  })

  test('name chapter 0 for the title of a book above its first file', async () => {
    for (const seed of SEEDS) {
      const { bytes, extension } = bookFile(seed)
      const blocks = blocksOf(await convert(bytes, extension))
      expect(
        blocks.filter(({ anchor }) => !('chapter' in anchor)),
        `seed ${seed}`,
      ).toEqual([])
      expect(blocks[0]?.anchor, `seed ${seed}`).toMatchObject({ chapter: 0 })
    }
  })

  test('name the section of every block of a Word file', async () => {
    for (const seed of SEEDS) {
      const conversion = await convert(wordFile(seed).bytes, 'docx')
      const blocks = blocksOf(conversion)
      expectPartition(conversion.markdown, blocks, `seed ${seed}`)
      let section: Anchor = { section: 0, title: null }
      for (const { anchor, markdownSpan } of blocks) {
        const [, title] = /^#{1,6} (.*)$/.exec(conversion.markdown.slice(...markdownSpan)) ?? []
        if (title !== undefined) section = { section: section.section + 1, title: title.trim() }
        expect(anchor, `seed ${seed}`).toEqual(section)
      }
    }
  })

  test('name the exact cells of every row of a workbook', async () => {
    for (const seed of SEEDS) {
      const random = new Random(seed)
      const book = utils.book_new()
      const cells = new Map<string, string>()
      for (let sheet = 1; sheet <= 1 + random.below(3); sheet++) {
        const drawn = utils.aoa_to_sheet([])
        for (let count = 1 + random.below(30); count > 0; count--) {
          const address = { r: random.below(60), c: random.below(8) + (sheet === 2 ? 26 : 0) }
          const text = `v${seed % 1000}x${cells.size}`
          utils.sheet_add_aoa(drawn, [[text]], { origin: address })
          cells.set(text, utils.encode_row(address.r))
        }
        utils.book_append_sheet(book, drawn, `Sheet ${sheet}`)
      }
      const { markdown, marks = [] } = await convert(
        write(book, { type: 'buffer', bookType: 'xlsx' }) as Buffer,
        'xlsx',
      )
      const blocks = anchoredBlocks(markdown, marks) ?? []
      expectPartition(markdown, blocks, `seed ${seed}`)
      for (const { anchor, markdownSpan } of blocks) {
        const content = markdown.slice(...markdownSpan)
        const lines = content.split('\n')
        lines.forEach((line, index) => {
          for (const text of line.match(/v\d+x\d+/g) ?? []) {
            const row = cells.get(text)
            const exact = anchorOfLines(anchor, content, [index, index + 1])
            const range = 'range' in exact ? exact.range : null
            expect(range, `seed ${seed}, ${text}`).toMatch(new RegExp(`^[A-Z]+${row}:[A-Z]+${row}$`))
          }
        })
      }
    }
  })
})

describe('anchors', () => {
  test.each([
    ['board-minutes.doc', 'section'],
    ['lock-inspection.docx', 'section'],
    ['permit-to-work.docm', 'section'],
    ['restoration-history.odt', 'section'],
    ['letter-to-boaters.rtf', 'section'],
    ['stoppage-notice.html', 'section'],
    ['lock-faq.htm', 'section'],
    ['navigation-rules.xhtml', 'section'],
    ['keepers-handbook.epub', 'chapter'],
    ['winter-works.pptx', 'slide'],
    ['safety-training.pptm', 'slide'],
    ['volunteer-induction.ppt', 'slide'],
    ['open-day-talk.odp', 'slide'],
    ['lock-register.xlsx', 'sheet'],
    ['repair-budget.xlsm', 'sheet'],
    ['telemetry.xlsb', 'sheet'],
    ['tolls-1998.xls', 'sheet'],
    ['water-levels.ods', 'sheet'],
    ['boat-passages.csv', 'sheet'],
  ] as const)('of %s name the %s of each block, and of each table of a sheet its cells', async (name, unit) => {
    const conversion = await convert(readFileSync(join('samples', name)), extensionOf(name) ?? 'pdf')
    const blocks = blocksOf(conversion)
    expectPartition(conversion.markdown, blocks, name)
    expect(blocks.length).toBeGreaterThan(0)
    for (const { anchor, type } of blocks) {
      expect(Object.keys(anchor)).toContain(unit)
      if (unit === 'sheet' && type === 'table')
        expect(anchor).toMatchObject({ range: expect.stringMatching(/^[A-Z]+\d+:[A-Z]+\d+$/) })
    }
  })

  test('of a CSV file are the rows of its records', async () => {
    const conversion = await convert('name,age\nAda,36\nAlan,41\n', 'csv')
    const [block] = blocksOf(conversion)
    expect(block?.anchor).toEqual({ sheet: null, range: 'A1:B3' })
    const content = conversion.markdown.slice(...(block?.markdownSpan ?? [0, 0]))
    expect(anchorOfLines(block?.anchor ?? { slide: 0 }, content, [3, 4])).toEqual({ sheet: null, range: 'A3:B3' })
  })

  test('of a page are its sections, and a `#` within code begins none', async () => {
    const html =
      '<html><body><p>before</p><h1>One</h1><p>text</p><pre><code># no\n\n# heading</code></pre><h2>Two</h2><ul><li>a<li>b</ul></body></html>'
    const { markdown } = await convert(html, 'html')
    const anchors = anchoredBlocks(markdown, [])?.map(({ type, anchor }) => [type, Object.values(anchor).join(' ')])
    expect(anchors).toEqual([
      ['text', '0 '],
      ['title', '1 One'],
      ['text', '1 One'],
      ['text', '1 One'],
      ['section_header', '2 Two'],
      ['text', '2 Two'],
    ])
  })

  test('of a redacted document follow its blocks, and names of sheets are redacted', () => {
    const markdown = '## ada@example.org\n\nada@example.org\n\n## Two\n\ntext\n'
    const at = markdown.indexOf('## Two')
    const marks = [
      { at: 0, anchor: { sheet: 'ada@example.org', range: null } },
      { at, anchor: { sheet: 'Two', range: null } },
    ]
    const nothing = { html: null, pages: null, blocks: null, links: [], images: [], metadata: {}, warning: null }
    const options = { mode: 'fast', entities: ['EMAIL'], replaceStyle: 'tag' } as const
    const redacted = redactConversion({ markdown, ...nothing, marks }, { ...options, entities: ['EMAIL'] })
    expect(blocksOf(redacted).map(({ anchor }) => anchor)).toEqual([
      { sheet: '<EMAIL>', range: null },
      { sheet: '<EMAIL>', range: null },
      { sheet: 'Two', range: null },
      { sheet: 'Two', range: null },
    ])
    expectPartition(redacted.markdown, blocksOf(redacted), 'redacted')
  })
})
