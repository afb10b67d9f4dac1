import { describe, expect, test } from 'vitest'
import type { Chunk, ChunkOptions, LayoutBlock, TokenCounter } from '#src/corpus/chunks/chunk.ts'
import { chunkDocument } from '#src/corpus/chunks/chunk-document.ts'

/** A token is a word: sizes can be read off the text. */
const words: TokenCounter = {
  name: 'words',
  overhead: 0,
  count: (text) => text.match(/\S+/g)?.length ?? 0,
}

function chunks(
  markdown: string,
  options: Partial<ChunkOptions> = {},
  blocks: readonly LayoutBlock[] = [],
): readonly Chunk[] {
  return chunkDocument({ markdown, blocks, pages: [] }, { counter: words, limit: 64, overlap: 0, ...options }).chunks
}

const sentence = (word: string, count: number): string => `${Array.from({ length: count }, () => word).join(' ')}.`

describe('the chunker', () => {
  test('makes one chunk without context from a document that fits', () => {
    const [only, ...others] = chunks('# Title\n\nOne.\n\n## Part\n\nTwo.\n')
    expect(others).toEqual([])
    expect(only).toMatchObject({ text: '# Title\n\nOne.\n\n## Part\n\nTwo.', headings: ['Title'], tokens: 6 })
  })

  test('puts the heading path above each part of a section', () => {
    const text = `# Title\n\n## Part\n\n${sentence('a', 40)}\n\n${sentence('b', 40)}`
    expect(chunks(text).map((chunk) => chunk.text.slice(0, 24))).toEqual([
      '# Title\n\n## Part\n\na a a ',
      'Title > Part\n\nb b b b b b'.slice(0, 24),
    ])
    expect(chunks(text)[1]).toMatchObject({ title: 'Title', headings: ['Title', 'Part'], body: sentence('b', 40) })
  })

  test('keeps a heading with the text below it', () => {
    const text = `${sentence('a', 60)}\n\n## Part\n\n${sentence('b', 60)}`
    expect(chunks(text).map(({ body }) => body.slice(0, 9))).toEqual(['a a a a a', '## Part\n\n'])
  })

  test('does not join the end of a split section with the next one', () => {
    const long = `${sentence('a', 50)}\n\n${sentence('b', 50)}\n\n${sentence('c', 5)}`
    const bodies = chunks(`## One\n\n${long}\n\n## Two\n\n${sentence('d', 5)}`).map(({ body }) => body)
    expect(bodies.at(-1)).toBe('## Two\n\nd d d d d.')
  })

  test('splits prose between sentences, and not after an abbreviation', () => {
    const text = Array.from({ length: 12 }, () => 'See Fig. 5 of Dr. Wren for it.').join(' ')
    for (const { body } of chunks(text)) expect(body).toMatch(/^See .* it\.$/)
  })

  test('repeats the header of a table above each part of it, and returns its rows', () => {
    const rows = Array.from({ length: 20 }, (_, index) => `| row ${index} | a \\| b |`)
    const parts = chunks(
      `## Prices\n\nTable 1: What it cost\n\n| Item | Cost |\n| --- | --- |\n${rows.join('\n')}\n\n${sentence('after', 20)}`,
    )
    const tables = parts.filter(({ kind }) => kind === 'table')
    expect(tables.length).toBeGreaterThan(2)
    for (const { text } of tables) expect(text).toContain('| Item | Cost |\n| --- | --- |\n| row')
    expect(tables[1]?.text).toMatch(/^Prices\n\nTable 1: What it cost\n\n\| Item/)
    expect(tables.flatMap(({ table }) => table?.rows ?? [])).toEqual(rows.map((_, index) => [`row ${index}`, 'a | b']))
    expect(tables[1]?.table?.firstRow).toBe((tables[0]?.table?.rows.length ?? 0) + 1)
    expect(parts.at(-1)).toMatchObject({ kind: 'text', body: sentence('after', 20) })
  })

  test('joins text of under 20 tokens to the table after it, else to the table before it', () => {
    const table = (cell: string): string => `| A | B |\n| --- | --- |\n${`| ${cell} | 2 |\n`.repeat(3)}`
    const text = `## Costs\n\nBefore one.\n\n${table('one')}\nBefore two.\n\n${table('two')}\nThe end.`
    const [one, two, ...others] = chunks(text)
    expect(others).toEqual([])
    expect(one).toMatchObject({
      kind: 'table',
      headings: ['Costs'],
      body: expect.stringMatching(/^## Costs\n\nBefore/),
    })
    expect(two).toMatchObject({ kind: 'table', body: expect.stringMatching(/^Before two\.[^]*\nThe end\.$/) })
    expect([one, two].map((chunk) => chunk?.table?.rows.length)).toEqual([3, 3])
  })

  test('joins text of under 20 tokens to a section below that is divided', () => {
    const parts = chunks(`# Title\n\nBy nobody.\n\n## Part\n\n${sentence('a', 40)}\n\n${sentence('b', 40)}`)
    expect(parts.map(({ body }) => body.slice(0, 33))).toEqual([
      '# Title\n\nBy nobody.\n\n## Part\n\na a',
      sentence('b', 40).slice(0, 33),
    ])
  })

  test('keeps a caption with its table or figure, above or below', () => {
    const [prose, table] = [sentence('a', 30), '| A |\n| - |\n| 1 |']
    const below = 'Table 2: Levels of the river at the weir'
    const markdown = `${prose}\n\nExhibit B\n\n${table}\n\n${prose}\n\n${table}\n\n${below}\n\n${prose}\n\nA picture\n\nFig. 3: It\n\n${table}`
    const block = (id: string, type: string, text: string): LayoutBlock => {
      const at = markdown.indexOf(text)
      return { id, type, page: 1, bbox: null, span: [at, at + text.length] }
    }
    const blocks = [block('b1', 'caption', 'Exhibit B'), block('b2', 'figure', 'A picture')]
    const found = chunks(markdown, {}, blocks).filter(({ kind }) => kind !== 'text')
    expect(found.map(({ kind, caption, body }) => [kind, caption, body.replaceAll('\n', '¶')])).toEqual([
      ['table', 'Exhibit B', 'Exhibit B¶¶| A |¶| - |¶| 1 |'],
      ['table', below, `| A |¶| - |¶| 1 |¶¶${below}`],
      ['figure', 'Fig. 3: It', 'A picture¶¶Fig. 3: It'],
      ['table', null, '| A |¶| - |¶| 1 |'],
    ])
    expect(found.map(({ table: rows }) => rows?.rows ?? null)).toEqual([[['1']], [['1']], null, [['1']]])
  })

  test.each([
    ['scan_07', 'inbox-scan_07.pdf', null],
    ['Report.docx', 'Report.docx', null],
    ['Microsoft Word - Report', 'other.pdf', null],
    ['Report', 'Report.docx', 'Report'],
    ['COVID-19', 'COVID-19.pdf', 'COVID-19'],
    ['setup.pdf', 'other.md', 'setup.pdf'],
  ])('has a title other than the name of its file: %s of %s', (title, fileName, expected) => {
    const markdown = `# ${title}\n\n${sentence('a', 40)}\n\n${sentence('b', 40)}`
    const options = { counter: words, limit: 64, overlap: 0 }
    const [, second] = chunkDocument({ markdown, blocks: [], pages: [], fileName }, options).chunks
    expect(second).toMatchObject({ title: expected, headings: expected === null ? [] : [expected] })
    expect(second?.text.startsWith('b')).toBe(expected === null)
  })

  test('makes no context of a heading of a megabyte', () => {
    const document = { markdown: `# ${'a1'.repeat(500_000)} x\n\nText.`, blocks: [], pages: [], fileName: 'a1.pdf' }
    const { chunks: parts } = chunkDocument(document, { counter: words, limit: 64, overlap: 0 })
    expect(parts.at(-1)).toMatchObject({ title: null, headings: [] })
  })

  test('repeats a header padded with no-break spaces by its column names', () => {
    const rows = Array.from({ length: 20 }, (_, index) => `| row ${index} | 1 |`).join('\n')
    const [first, ...parts] = chunks(`| Item\u00a0 | \u00a0Cost |\n| --- | --- |\n${rows}`)
    expect(first?.table?.header).toEqual(['Item', 'Cost'])
    expect(parts.length).toBeGreaterThan(0)
    for (const { text } of parts) expect(text).toMatch(/^\| Item \| Cost \|\n\| --- \| --- \|\n\| row/)
  })

  test('repeats a header without the spaces and hyphens that align it', () => {
    const pad = (text: string): string => text.padEnd(60)
    const rows = Array.from({ length: 30 }, (_, index) => `| row ${index} | ${pad('a')} |`)
    const markdown = `| Item \\| kind | ${pad('Cost  in all')} |\n| --- | ${'-'.repeat(59)}: |\n${rows.join('\n')}`
    const [first, ...others] = chunks(markdown)
    expect(others.length).toBeGreaterThan(1)
    for (const { text, table } of others) {
      expect(text).toMatch(/^\| Item \\\| kind \| Cost {2}in all \|\n\| --- \| ---: \|\n\| row/)
      expect(table?.header).toEqual(first?.table?.header)
    }
  })

  test('repeats the fence of code that is split', () => {
    const lines = Array.from({ length: 30 }, (_, index) => `  call line ${index} now`)
    const parts = chunks(['```ts', ...lines, '```'].join('\n'))
    expect(parts.length).toBeGreaterThan(1)
    for (const { text, oversize } of parts) {
      expect(text).toMatch(/^```ts\n {2}call/)
      expect(oversize).toBe(false)
    }
  })

  test('splits a list between its items', () => {
    const items = Array.from({ length: 20 }, (_, index) => `- item ${index}\n\n  - below it ${index}`)
    for (const { body } of chunks(items.join('\n\n'))) expect(body).toMatch(/^- item/)
  })

  test('repeats the outer items of a nested list above each part of it', () => {
    const items = Array.from({ length: 20 }, (_, index) => `    - beside gate ${index} there are ${index} units`)
    const parts = chunks(['- First reach', '- Second reach', '  - Depth in spring', ...items].join('\n'))
    expect(parts.length).toBeGreaterThan(2)
    for (const { text, tokens } of parts.slice(1)) {
      expect(text).toMatch(/^- Second reach\n {2}- Depth in spring\n {4}- beside gate \d+ there/)
      expect(tokens).toBeLessThanOrEqual(64)
    }
  })

  test('flags only the parts of a row over the limit, the first with its header', () => {
    const parts = chunks(
      `| A | B |\n| --- | --- |\n| ${sentence('x', 90)} | y |\n| short | row |\n\n${sentence('b', 90)}`,
    )
    expect(
      parts
        .filter(({ oversize }) => oversize)
        .map(({ body }) => body)
        .join(' '),
    ).toBe(`| A | B |\n| --- | --- |\n| ${sentence('x', 90)} | y |`)
    expect(parts.find(({ oversize }) => oversize)?.table).toBeNull()
  })

  test('repeats the end of the previous chunk as overlap', () => {
    const text = Array.from({ length: 30 }, (_, index) => `Sentence ${index} has six words.`).join(' ')
    const [first, second] = chunks(text, { overlap: 12 })
    const repeated = first?.body.split('. ').slice(-2).join('. ') ?? ''
    expect(second?.text.startsWith(`${repeated}\n\n`)).toBe(true)
    expect(second?.body.startsWith('Sentence')).toBe(true)
  })

  test('cites pages, blocks and the union of their boxes', () => {
    const markdown = `${sentence('a', 5)}\n\n${sentence('b', 5)}`
    const block = (id: string, page: number, at: number, bbox: LayoutBlock['bbox']): LayoutBlock => ({
      id,
      type: 'text',
      page,
      bbox,
      span: [at, at + 10],
    })
    const blocks = [block('p1.b0', 1, 0, [0.1, 0.2, 0.5, 0.3]), block('p2.b0', 2, 12, [0.1, 0.1, 0.2, 0.2])]
    expect(chunks(markdown, {}, blocks)[0]).toMatchObject({
      pages: [1, 2],
      blocks: ['p1.b0', 'p2.b0'],
      boxes: [
        { page: 1, bbox: [0.1, 0.2, 0.5, 0.3] },
        { page: 2, bbox: [0.1, 0.1, 0.2, 0.2] },
      ],
    })
  })

  describe('with pages as chunks', () => {
    const [first, second, third] = [
      `# Title\n\n${sentence('a', 20)}\n\n## Part`,
      `${sentence('b', 20)}\n\n## End`,
      sentence('c', 20),
    ]
    const markdown = [first, second, third].join('\n\n')
    const blocks = [first, second, third].flatMap((page, index) => {
      const from = markdown.indexOf(page)
      return page.split('\n\n').map((text): LayoutBlock => {
        const start = markdown.indexOf(text, from)
        return { id: `b${start}`, type: 'text', page: index + 1, bbox: null, span: [start, start + text.length] }
      })
    })

    test('makes one chunk of each page that fits, with the headings above it', () => {
      const pages = chunks(markdown, { pages: true }, blocks)
      expect(pages.map(({ kind, body }) => [kind, body])).toEqual([
        ['page', first],
        ['page', second],
        ['page', third],
      ])
      expect(pages.map((chunk) => chunk.pages)).toEqual([[1], [2], [3]])
      expect(pages[1]?.text.startsWith('Title > Part\n\nb b')).toBe(true)
    })

    test('splits a page over the limit, and joins nothing across a page break', () => {
      const long = markdown.replaceAll('a a', `a ${'a '.repeat(9)}`)
      const spans = long.split('\n\n').map((text, index) => [long.indexOf(text), text, index] as const)
      const moved = spans.map(([start, text, index]): LayoutBlock => {
        return {
          id: `b${start}`,
          type: 'text',
          page: index < 3 ? 1 : index < 5 ? 2 : 3,
          bbox: null,
          span: [start, start + text.length],
        }
      })
      const parts = chunks(long, { pages: true }, moved)
      expect(parts.length).toBeGreaterThan(3)
      for (const part of parts) expect(part.pages).toHaveLength(1)
      expect(parts.map(({ kind }) => kind).slice(-2)).toEqual(['page', 'page'])
    })

    test('splits a document without pages as usual', () => {
      expect(chunks(markdown, { pages: true })).toEqual(chunks(markdown))
    })
  })

  test('does not treat the front matter of a text as a heading', () => {
    const [first, second] = chunks(
      `---\ntitle: Canal\ndraft: true\n---\n\n${sentence('a', 60)}\n\n${sentence('b', 60)}`,
    )
    expect(first?.body.startsWith('---\ntitle: Canal\ndraft: true\n---')).toBe(true)
    expect([first?.headings, second?.headings]).toEqual([[], []])
  })

  test('keeps the order when parts have more tokens together than apart', () => {
    const joined: TokenCounter = { ...words, count: (text) => Math.ceil(words.count(text) ** 1.2) }
    const prose = ['A', 'B', 'C', 'D', 'E', 'F', 'G', 'H'].map((word) => sentence(word, 10)).join(' ')
    const markdown = `${prose}\n\n| A | B |\n| --- | --- |\n| 1 | 2 |\n\n${prose}`
    const parts = chunks(markdown, { counter: joined })
    expect(parts.map(({ span }) => span[0])).toEqual(
      parts.map(({ span }) => span[0]).toSorted((one, other) => one - other),
    )
    expect(
      parts
        .map(({ body }) => body)
        .join('')
        .replaceAll(/\s/g, ''),
    ).toBe(markdown.replaceAll(/\s/g, ''))
  })

  test('takes headings from the layout when the Markdown has none', () => {
    const markdown = `Title\n\n${sentence('a', 60)}\n\n${sentence('b', 60)}`
    const blocks = [{ id: 'p1.b0', type: 'title', page: 1, bbox: null, span: [0, 5] as const }]
    expect(chunks(markdown, {}, blocks).at(-1)?.headings).toEqual(['Title'])
  })
})
