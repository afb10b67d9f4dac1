import { describe, expect, test } from 'vitest'
import type { BlockPage, ParsedData } from '@sluice/contract'
import { sourceKey } from '#src/document/ids.ts'
import { renderOutputs } from '#src/outputs/render.ts'
import { parseLines } from '../support/json-lines.ts'

const KEY = sourceKey('reports/q3.pdf')

const texts = (data: ParsedData): Record<string, string> =>
  Object.fromEntries([...renderOutputs(data, KEY)].map(([name, bytes]) => [name, Buffer.from(bytes).toString()]))

const rows = (text = ''): unknown[] => parseLines(text)

const block = (id: string, content: string): BlockPage['items'][number] => ({
  id,
  type: 'text',
  label: null,
  bbox: [0, 0, 1, 1],
  content,
  markdownSpan: [0, content.length],
  readingOrder: 0,
  source: 'native_text',
  confidence: { layout: 0.9, ocr: null },
})

describe('the outputs of an answer', () => {
  test('are the Markdown alone by default', () => {
    expect(texts({ markdown: '# Hé\n' })).toEqual({ 'document.md': '# Hé\n' })
  })

  test('hold a line for each page and for each block with its page', () => {
    const files = texts({
      markdown: 'one\ntwo',
      pages: [
        { pageNumber: 1, markdown: 'one\nwith a line break' },
        { pageNumber: 2, markdown: 'two' },
      ],
      blocks: [
        {
          pageNumber: 1,
          width: 600,
          height: 800,
          status: 'ok',
          items: [block('p1.b0', 'one'), block('p1.b1', 'more')],
        },
        { pageNumber: 2, width: null, height: null, status: 'partial', items: [block('p2.b0', 'two')] },
      ],
    })
    expect(rows(files['pages.jsonl'])).toEqual([
      { document: KEY, headings: [], pageNumber: 1, markdown: 'one\nwith a line break' },
      { document: KEY, headings: [], pageNumber: 2, markdown: 'two' },
    ])
    const names = { document: KEY, headings: [] }
    expect(rows(files['blocks.jsonl'])).toEqual([
      { ...names, pageNumber: 1, width: 600, height: 800, status: 'ok', ...block('p1.b0', 'one') },
      { ...names, pageNumber: 1, width: 600, height: 800, status: 'ok', ...block('p1.b1', 'more') },
      { ...names, pageNumber: 2, width: null, height: null, status: 'partial', ...block('p2.b0', 'two') },
    ])
  })

  test('name the headings above each block, and those open at the start of a page', () => {
    const contents = ['# Report', 'intro', '## Costs ##', '| a |', '### Rent', 'high', '## Plans', 'none']
    const pages = [
      { pageNumber: 1, markdown: '# Report\n\nintro\n\n```\n# no heading\n```\n\n## Costs' },
      { pageNumber: 2, markdown: '### Rent\n\nhigh' },
      { pageNumber: 3, markdown: 'none' },
    ]
    const items = contents.map((content, index) => block(`p1.b${index}`, content))
    const files = texts({ pages, blocks: [{ pageNumber: 1, width: null, height: null, status: 'ok', items }] })
    const headings = (name: string): unknown[] =>
      rows(files[name]).map((row) => (row as { headings: unknown }).headings)
    expect(headings('blocks.jsonl')).toEqual([
      [],
      ['Report'],
      ['Report'],
      ['Report', 'Costs'],
      ['Report', 'Costs'],
      ['Report', 'Costs', 'Rent'],
      ['Report'],
      ['Report', 'Plans'],
    ])
    expect(headings('pages.jsonl')).toEqual([[], ['Report', 'Costs'], ['Report', 'Costs', 'Rent']])
  })

  test('hold the blocks of a document without pages, each with its anchor', () => {
    const anchor = { sheet: 'Q3', range: 'A1:B2' }
    const blocks = [{ id: 'b0', type: 'table', markdownSpan: [3, 6], anchor }]
    const files = texts({ markdown: 'ab\n|x|', sluice: { engine: '1', blocks } })
    expect(rows(files['blocks.jsonl'])).toMatchObject([
      { document: KEY, pageNumber: null, id: 'b0', type: 'table', content: '|x|', markdownSpan: [3, 6], anchor },
    ])
  })

  test('hold every other format that the answer has', () => {
    const files = texts({
      html: '<p>',
      rawHtml: '<html>',
      links: ['https://a'],
      images: [],
      json: { a: 1 },
      summary: 'short',
    })
    expect(Object.keys(files)).toEqual([
      'document.html',
      'raw.html',
      'links.json',
      'images.json',
      'data.json',
      'summary.md',
    ])
    expect(
      [files['links.json'], files['images.json'], files['data.json']].map((text) => JSON.parse(text ?? '')),
    ).toEqual([['https://a'], [], { a: 1 }])
  })

  test('distinguish an empty document from one not requested', () => {
    expect(texts({ markdown: '', pages: [], blocks: null })).toEqual({ 'document.md': '', 'pages.jsonl': '' })
    expect(texts({})).toEqual({})
  })
})
