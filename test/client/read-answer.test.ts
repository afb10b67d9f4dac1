import * as fc from '../support/fast-check.ts'
import { describe, expect, test } from 'vitest'
import { parseOptionsSchema } from '@sluice/contract'
import { readAnswer } from '#src/client/read-answer.ts'
import { missingOutputs, type Wanted } from '#src/client/missing-outputs.ts'

const NOON = Date.parse('2026-11-21T12:00:00Z')
const read = (data: object) => readAnswer(Buffer.from(JSON.stringify({ success: true, data })), NOON)

/** One page whose blocks are the pieces of a text, with spans counted by `length`. */
function layout(pieces: readonly string[], length: (text: string) => number) {
  const markdown = pieces.join('\n\n')
  let before = ''
  const items = pieces.map((content, index) => {
    const start = length(before)
    before += `${content}\n\n`
    return { id: `p1.b${index}`, type: 'text', content, markdownSpan: [start, start + length(content)] }
  })
  return { markdown, blocks: [{ pageNumber: 1, status: 'ok', items }] }
}

const codePoints = (text: string): number => Array.from(text).length

describe('the spans of blocks', () => {
  test.each([
    ['utf16', (text: string) => text.length],
    ['code_points', codePoints],
    ['bytes', (text: string) => Buffer.byteLength(text)],
  ] as const)('counted in %s slice the Markdown in UTF-16 units', (unit, length) => {
    const { data, spans } = read(layout(['# 😀 Ω title', 'naïve text', '日本 𝒳'], length))
    expect(spans).toEqual({ unit, dropped: 0 })
    for (const { content, markdownSpan } of data.blocks?.[0]?.items ?? [])
      expect(data.markdown?.slice(...(markdownSpan as [number, number]))).toBe(content)
  })

  test('slice the Markdown for any text and unit (property)', () => {
    const text = fc.string({ unit: fc.constantFrom('a', '\n', 'é', 'Ω', '日', '😀', '𝒳'), minLength: 1, maxLength: 12 })
    const lengths = fc.constantFrom(
      (t: string) => t.length,
      codePoints,
      (t: string) => Buffer.byteLength(t),
    )
    fc.assert(
      fc.property(fc.array(text, { minLength: 1, maxLength: 8 }), lengths, (pieces, length) => {
        const { data, spans } = read(layout(pieces, length))
        expect(spans.dropped).toBe(0)
        const items = data.blocks?.[0]?.items ?? []
        const slices = items.map(({ markdownSpan }) => data.markdown?.slice(...(markdownSpan as [number, number])))
        expect(slices).toEqual(pieces)
      }),
      { numRuns: 100 },
    )
  })

  test('that fit in no unit become null and are counted, and the others stay', () => {
    const data = layout(['😀 one', 'two', 'three'], codePoints)
    data.blocks[0]?.items.push({ id: 'p1.b3', type: 'text', content: 'rewritten', markdownSpan: [0, 9] })
    const reading = read(data)
    expect(reading.spans).toEqual({ unit: 'code_points', dropped: 1 })
    expect(reading.data.blocks?.[0]?.items.map(({ markdownSpan }) => markdownSpan !== null)).toEqual([
      true,
      true,
      true,
      false,
    ])
    expect(reading.problems).toEqual([])
  })

  test('never point outside the Markdown', () => {
    const items = [
      [99, 99],
      [-1, 2],
      [0.5, 3.5],
      [3, 1],
    ].map((markdownSpan) => ({ content: '', markdownSpan }))
    expect(read({ markdown: 'text', blocks: [{ pageNumber: 1, items }] }).spans).toEqual({ unit: null, dropped: 4 })
  })
})

describe('a document is partial, never silently done,', () => {
  const page = (pageNumber: number, status: string) => ({ pageNumber, status, items: [] })

  test.each([
    ['when pages were left out', { metadata: { numPages: 3, totalPages: 9 } }, 'only 3 of 9 pages were parsed'],
    ['when a page failed', { blocks: [page(1, 'ok'), page(2, 'failed')] }, 'page 2 could not be read'],
    [
      'when pages are partial',
      { blocks: [page(4, 'partial'), page(7, 'partial')] },
      'pages 4, 7 could be read only in part',
    ],
    ['when the service warns', { warning: 'no model\nfor json' }, 'the service warned: no model for json'],
    ['when the page has an error', { metadata: { error: 'not found' } }, 'the service reported: not found'],
  ])('%s', (_, data, problem) => {
    expect(read({ markdown: '# a', ...data }).problems).toEqual([problem])
  })

  test('when its answer is empty', () => {
    expect(read({ metadata: {} }).problems).toEqual(['the answer holds no output at all'])
    expect(read({ markdown: '' }).problems).toEqual([])
    expect(read({ json: { total: 3 } }).problems).toEqual([])
  })
})

describe('an answer that deviates from the contract', () => {
  test('is accepted with unknown fields, types and statuses, and with nulls', () => {
    const { data, problems } = read({
      markdown: 'a',
      pages: null,
      blocks: [
        {
          pageNumber: 1,
          width: null,
          status: 'skipped',
          items: [{ id: 'p1.b0', type: 'hologram', label: 'x', content: 'a', future: 1 }],
        },
      ],
      links: null,
      summary: null,
      attributes: [1],
      metadata: { title: null, language: null, scrapeId: 'id-1', creditsUsed: 2.5 },
    })
    expect(problems).toEqual([])
    expect(data.pages).toBeNull()
    expect(data.blocks?.[0]).toMatchObject({ status: 'skipped', width: null })
    expect(data.blocks?.[0]?.items[0]).toMatchObject({ type: 'hologram', future: 1, bbox: null, markdownSpan: null })
  })

  test('is accepted even when every field has the wrong type', () => {
    const names = [
      'markdown',
      'pages',
      'blocks',
      'links',
      'images',
      'summary',
      'html',
      'warning',
      'metadata',
      'screenshot',
      'actions',
    ]
    fc.assert(
      fc.property(fc.dictionary(fc.constantFrom(...names), fc.jsonValue({ maxDepth: 4 })), (data) => {
        const reading = read(data)
        for (const { items } of reading.data.blocks ?? [])
          for (const { content } of items) expect(content).toBeTypeOf('string')
        for (const { markdown } of reading.data.pages ?? []) expect(markdown).toBeTypeOf('string')
        expect(reading.problems.every((problem) => problem.length < 400)).toBe(true)
      }),
      { numRuns: 200 },
    )
  })

  test('is understood in the observed forms of credits, request id, json and images', () => {
    const reading = read({
      json: { total: 1 },
      images: ['a.png', 3],
      metadata: { creditsUsed: 5, scrapeId: 'id-1', numPages: 1, totalPages: 1 },
    })
    expect(reading).toMatchObject({
      creditsReported: 5,
      requestId: 'id-1',
      pages: { parsed: 1, total: 1, truncated: false },
      data: { json: { total: 1 }, images: ['a.png'] },
    })
  })

  test('is marked with the expiry of its links', () => {
    const { expiring } = read({
      markdown: 'a',
      audio: 'https://x.test/a.mp3',
      screenshot: 'https://x.test/s.png',
      actions: { screenshots: ['https://x.test/1.png', null] },
      video: 'data:video/mp4;base64,AA==',
    })
    expect(expiring).toEqual([
      { field: 'audio', at: '2026-11-21T13:00:00.000Z' },
      { field: 'screenshot', at: '2026-11-22T12:00:00.000Z' },
      { field: 'actions.screenshots[0]', at: '2026-11-22T12:00:00.000Z' },
    ])
  })
})

describe('a body of malformed JSON', () => {
  const text = (body: string | Buffer) => readAnswer(Buffer.from(body), NOON)

  test('is read without its BOM', () => {
    expect(text('\uFEFF{"data":{"markdown":"a"}}')).toMatchObject({ data: { markdown: 'a' }, problems: [] })
  })

  test('is read without invalid numbers, as partial', () => {
    const body = '{"data":{"markdown":"NaN \\" Infinity","metadata":{"numPages":NaN,"x":-Infinity}}}'
    const { data, problems } = text(body)
    expect(data).toMatchObject({ markdown: 'NaN " Infinity', metadata: { x: null } })
    expect(problems).toEqual([expect.stringContaining('NaN or Infinity instead of numbers')])
    expect(text('{"data":{"markdown":"NaN"}}').problems).toEqual([])
  })

  test('makes the document partial for bytes outside UTF-8', () => {
    const body = Buffer.concat([Buffer.from('{"data":{"markdown":"a'), Buffer.of(0xff), Buffer.from('"}}')])
    expect(text(body)).toMatchObject({
      data: { markdown: 'a\uFFFD' },
      problems: [expect.stringContaining('not UTF-8')],
    })
  })

  test('may carry warnings next to the document or as a list', () => {
    const problems = (json: object) => text(JSON.stringify(json)).problems
    expect(problems({ warning: 'cut off', data: { markdown: 'a' } })).toEqual(['the service warned: cut off'])
    expect(problems({ warning: [], data: { markdown: 'a', warning: [] } })).toEqual([])
    expect(problems({ data: { markdown: 'a', warning: ['one', 'two'] } })).toEqual(['the service warned: one; two'])
  })
})

describe('a requested field that the answer lacks', () => {
  const { formats, parsers } = parseOptionsSchema.parse({
    formats: ['markdown', 'html', 'json'],
    parsers: [{ type: 'pdf', pages: true, blocks: true }],
  })
  const missing = (data: object, wanted: Partial<Wanted> = {}): string[] =>
    missingOutputs(read(data).data, {
      options: { formats: formats.slice(0, 1), parsers },
      isPdf: true,
      credits: 3,
      ...wanted,
    })
  const page = (pageNumber: number) => ({ pageNumber, markdown: 'a' })
  const whole = { markdown: 'a', pages: [page(1)], blocks: [], metadata: { numPages: 1 } }

  test('is a problem of the document', () => {
    expect(missing(whole)).toEqual([])
    expect(missing({ ...whole, pages: null })).toEqual(['the answer lacks the requested pages'])
    expect(missing({ ...whole, pages: [page(1)], metadata: { numPages: '3' } })).toEqual([
      'pages 2, 3 of 3 are missing in the answer',
    ])
    expect(missing({ ...whole, blocks: undefined })).toEqual(['the answer lacks the requested blocks'])
    expect(missing({ ...whole, markdown: ' ' })).toEqual(['the page has no text, and cost credits'])
    expect(missing({ ...whole, markdown: ' ' }, { credits: 0 })).toEqual([])
    expect(missing(whole, { options: { formats, parsers } })).toEqual([
      'the answer lacks the requested html',
      'the answer lacks the requested json',
    ])
  })

  test('is accepted when the service warns of it or the document has no pages', () => {
    expect(missing({ ...whole, json: null, warning: 'no model' }, { options: { formats, parsers } })).toEqual([])
    expect(missing({ markdown: '' }, { isPdf: false })).toEqual([])
  })

  test('is detected when totals are strings', () => {
    expect(read({ markdown: 'a', metadata: { numPages: '3', totalPages: '10' } }).problems).toEqual([
      'only 3 of 10 pages were parsed',
    ])
  })
})
