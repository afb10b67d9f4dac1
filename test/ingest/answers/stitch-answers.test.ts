import { describe, expect, test } from 'vitest'
import { type AnswerReading, readAnswer } from '#src/client/read-answer.ts'
import { marksPages, type PieceReading, stitchAnswers, stitchMarkdown } from '#src/ingest/answers/stitch-answers.ts'

import * as fc from '../../support/fast-check.ts'
/** A page as its blocks' texts. */
type Page = readonly string[]

interface Asked {
  readonly pageMarkers: boolean
  readonly unit: 'utf16' | 'bytes'
}

const readingOf = (data: object): AnswerReading => readAnswer(Buffer.from(JSON.stringify({ success: true, data })), 0)

/** The answer of a service that keeps the contract to a document of these pages. */
function answerFor(pages: readonly Page[], { pageMarkers, unit }: Asked): AnswerReading {
  let markdown = ''
  const length = (text: string) => (unit === 'bytes' ? Buffer.byteLength(text) : text.length)
  const blocks = pages.map((contents, index) => {
    const pageNumber = index + 1
    if (pageMarkers && index > 0) markdown += `\n\n---\n\n<!-- page ${pageNumber} -->\n\n`
    let first = true
    const items = contents.map((content, at) => {
      if (!first || (!pageMarkers && markdown !== '')) markdown += '\n\n'
      first = false
      const start = length(markdown)
      markdown += content
      const markdownSpan = [start, length(markdown)]
      return {
        id: `p${pageNumber}.b${at}`,
        type: 'text',
        content,
        bbox: [0, 0.1, 0.5, 1],
        markdownSpan,
        readingOrder: at,
      }
    })
    return { pageNumber, width: 612, height: 792, status: pageNumber % 7 === 0 ? 'partial' : 'ok', items }
  })
  return readingOf({
    markdown,
    blocks,
    pages: pages.map((contents, index) => ({ pageNumber: index + 1, markdown: contents.join('\n\n') })),
    links: pages.flatMap(([link]) => link ?? []),
    metadata: { numPages: pages.length, totalPages: pages.length, creditsUsed: pages.length },
  })
}

const line = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 8 }).filter((text) => text.trim() !== '')
const page = fc.array(
  line.map((text) => `x${text.replace(/\n/g, ' ')}x`),
  { maxLength: 3 },
)
const wholes = fc.record({
  pages: fc.array(page, { minLength: 1, maxLength: 14 }),
  cuts: fc.uniqueArray(fc.integer({ min: 1, max: 13 }), { maxLength: 4 }),
  asked: fc.record({ pageMarkers: fc.boolean(), unit: fc.constantFrom('utf16' as const, 'bytes' as const) }),
})

function inPieces(pages: readonly Page[], cuts: readonly number[], asked: Asked): PieceReading[] {
  const ends = [...cuts.filter((cut) => cut < pages.length).sort((a, b) => a - b), pages.length]
  return ends.map((lastPage, index) => {
    const firstPage = (ends[index - 1] ?? 0) + 1
    return { firstPage, lastPage, reading: answerFor(pages.slice(firstPage - 1, lastPage), asked) }
  })
}

test('stitchAnswers yields for pieces the answer of the service for the full document', () => {
  fc.assert(
    fc.property(wholes, ({ pages, cuts, asked }) => {
      const whole = answerFor(pages, asked)
      const pieces = inPieces(pages, cuts, asked)
      const stitched = stitchAnswers(pieces, { totalPages: pages.length, pageMarkers: asked.pageMarkers }, 0)
      expect(stitched.data.markdown).toBe(whole.data.markdown)
      expect(stitched.data.pages).toEqual(whole.data.pages)
      expect(stitched.data.blocks?.map(({ items }) => items)).toEqual(whole.data.blocks?.map(({ items }) => items))
      expect(new Set(stitched.data.links)).toEqual(new Set(whole.data.links))
      expect(stitched.pages).toEqual(whole.pages)
      expect(stitched.creditsReported).toBe(pages.length)
      expect(stitched.spans.dropped).toBe(0)
    }),
  )
})

test('stitchAnswers keeps each span on its block, each id unique and the pages in order', () => {
  fc.assert(
    fc.property(wholes, ({ pages, cuts, asked }) => {
      const pieces = inPieces(pages, cuts, asked)
      const { data } = stitchAnswers(pieces, { totalPages: pages.length, pageMarkers: asked.pageMarkers }, 0)
      const blocks = data.blocks ?? []
      expect(blocks.map(({ pageNumber }) => pageNumber)).toEqual(pages.map((_, index) => index + 1))
      const items = blocks.flatMap((of) => of.items)
      expect(new Set(items.map(({ id }) => id)).size).toBe(items.length)
      for (const { content, markdownSpan } of items) {
        expect(markdownSpan && data.markdown?.slice(...markdownSpan)).toBe(content)
      }
    }),
  )
})

describe('an answer stitched from pieces', () => {
  const piece = (firstPage: number, lastPage: number, data: object): PieceReading => ({
    firstPage,
    lastPage,
    reading: readingOf({ markdown: 'text', ...data }),
  })
  const stitch = (pieces: readonly PieceReading[], totalPages = pieces.at(-1)?.lastPage ?? 0) =>
    stitchAnswers(pieces, { totalPages, pageMarkers: false }, 0)

  test('sums pages and credits, and is truncated when the document has more pages', () => {
    const stitched = stitch(
      [
        piece(1, 40, { metadata: { numPages: 40, totalPages: 40, creditsUsed: 40, title: 'Report' } }),
        piece(41, 50, { metadata: { numPages: 10, totalPages: 10, creditsUsed: 10, title: 'p41', language: 'en' } }),
      ],
      200,
    )
    expect(stitched.pages).toEqual({ parsed: 50, total: 200, truncated: true })
    expect(stitched.problems).toEqual(['only 50 of 200 pages were parsed'])
    expect(stitched.creditsReported).toBe(50)
    expect(stitched.data.metadata).toMatchObject({ title: 'Report', language: 'en' })
  })

  test('reports no credits when one piece reports none, and counts a piece without a page count as complete', () => {
    const stitched = stitch([piece(1, 3, { metadata: { creditsUsed: 3 } }), piece(4, 5, {})])
    expect(stitched.creditsReported).toBeNull()
    expect(stitched.pages).toEqual({ parsed: 5, total: 5, truncated: false })
    expect(stitched.problems).toEqual([])
  })

  test('numbers warnings and failed pages as in the full document', () => {
    const blocks = [{ pageNumber: 2, status: 'failed', items: [] }]
    const stitched = stitch([piece(1, 3, {}), piece(4, 6, { warning: 'two tables were cut off', blocks })])
    expect(stitched.problems).toEqual([
      'page 5 could not be read',
      'the service warned: pages 4 to 6: two tables were cut off',
    ])
  })

  test('has each link and image once, joins HTML and summaries, and reports fields that cannot be merged', () => {
    const stitched = stitch([
      piece(1, 1, { links: ['a', 'b'], images: ['i'], html: '<p>1</p>', summary: 'One.', json: { total: 1 } }),
      piece(2, 2, { links: ['b', 'c'], images: [], html: '<p>2</p>', summary: 'Two.', json: { total: 2 } }),
    ])
    expect(stitched.data).toMatchObject({
      links: ['a', 'b', 'c'],
      images: ['i'],
      html: '<p>1</p>\n<p>2</p>',
      summary: 'One.\n\nTwo.',
      json: [{ total: 1 }, { total: 2 }],
    })
    expect(stitched.problems).toEqual([
      'json was generated for each of the 2 pieces of the document, not for the complete document',
      'summary was generated for each of the 2 pieces of the document, not for the complete document',
    ])
  })

  test('has only fields that a piece has', () => {
    const { data } = stitch([piece(1, 1, {}), piece(2, 2, {})])
    expect([data.pages, data.blocks, data.links, data.json, data.html]).toEqual([
      null,
      null,
      null,
      undefined,
      undefined,
    ])
  })

  test('keeps ids unique when their shape is unknown', () => {
    const blocks = [{ pageNumber: 1, status: 'ok', items: [{ id: 'first', content: '' }] }]
    const { data } = stitch([piece(1, 1, { blocks }), piece(2, 2, { blocks })])
    expect(data.blocks?.flatMap(({ items }) => items.map(({ id }) => id))).toEqual(['p1.first', 'p2.first'])
  })
})

test('stitchMarkdown renumbers only true page markers, and puts a blank line after a part that ends in a line break', () => {
  const marker = (number: number) => `\n\n---\n\n<!-- page ${number} -->\n\n`
  const first = { firstPage: 1, lastPage: 9, markdown: `a${marker(3)}b\n` }
  const second = { firstPage: 10, lastPage: 12, markdown: `c${marker(99)}d${marker(3)}e${marker(2)}` }
  const { markdown } = stitchMarkdown([first, second], { pageMarkers: true })
  expect(markdown).toBe(`a${marker(3)}b\n${marker(10)}c${marker(99)}d${marker(12)}e${marker(2)}`)
  expect(stitchMarkdown([first, second], { pageMarkers: false }).markdown).toBe(`${first.markdown}\n${second.markdown}`)
})

test('marksPages is true only for a recipe with pageMarkers', () => {
  expect(marksPages({ parsers: [{ type: 'pdf', pageMarkers: true }] })).toBe(true)
  expect(marksPages({ parsers: [{ type: 'pdf', pages: true }] })).toBe(false)
  expect(marksPages({})).toBe(false)
})
