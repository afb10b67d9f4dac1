import * as fc from '../../support/fast-check.ts'
import { describe, expect, test } from 'vitest'
import { type AnswerReading, readAnswer } from '#src/client/read-answer.ts'
import { mergePages } from '#src/ingest/answers/merge-pages.ts'

interface Item {
  readonly type: string
  readonly content: string
  readonly bbox?: readonly [number, number, number, number]
  /** Not in the Markdown, as running lines are. */
  readonly omitted?: boolean
}

const text = (content: string): Item => ({ type: 'text', content })
const heading = (content: string): Item => ({ type: 'section_header', content })
const header = (content: string): Item => ({ type: 'page_header', content, omitted: true, bbox: [0, 0.02, 1, 0.04] })

interface Shape {
  readonly pageMarkers?: boolean
  readonly blocks?: boolean
  readonly warning?: string
  readonly between?: (page: number) => string
}

/** An answer for pages that hold these blocks, numbered from 1. */
function answerFor(pages: readonly (readonly Item[])[], shape: Shape = {}): AnswerReading {
  const { pageMarkers = false, blocks: withBlocks = true, between = () => '\n\n' } = shape
  let markdown = ''
  const blocks = pages.map((items, index) => {
    const pageNumber = index + 1
    if (pageMarkers && index > 0) markdown += `\n\n---\n\n<!-- page ${pageNumber} -->\n\n`
    let first = true
    return {
      pageNumber,
      width: 612,
      height: 792,
      status: 'ok',
      items: items.map(({ type, content, bbox = [0, 0.3, 1, 0.4], omitted }, at) => {
        const block = { id: `p${pageNumber}.b${at}`, type, content, bbox, readingOrder: at }
        if (omitted === true) return { ...block, markdownSpan: null }
        if (!first) markdown += '\n\n'
        else if (!pageMarkers && markdown !== '') markdown += between(pageNumber)
        first = false
        const start = markdown.length
        markdown += content
        return { ...block, markdownSpan: [start, markdown.length] }
      }),
    }
  })
  const parsed = pages.map((items, index) => ({
    pageNumber: index + 1,
    markdown: items.flatMap((item) => (item.omitted === true ? [] : [item.content])).join('\n\n'),
  }))
  const metadata = { numPages: pages.length, totalPages: pages.length, creditsUsed: pages.length }
  const { warning } = shape
  const data = { markdown, pages: parsed, metadata, ...(withBlocks ? { blocks } : {}), ...(warning ? { warning } : {}) }
  return readAnswer(Buffer.from(JSON.stringify({ success: true, data })), 0)
}

const merge = (
  local: AnswerReading,
  bought: readonly { readonly pages: readonly number[]; readonly reading: AnswerReading }[],
  pageMarkers = false,
) => mergePages(local, bought, { pageMarkers }, 0)

const line = fc
  .string({ unit: 'grapheme', minLength: 1, maxLength: 8 })
  .map((letters) => `X${letters.replace(/\s/g, '_')}X`)
const page = fc.array(line, { minLength: 0, maxLength: 3 })
const documents = fc.array(
  fc.record({
    local: page,
    paid: fc.array(line, { minLength: 1, maxLength: 3 }),
    part: fc.integer({ min: 0, max: 3 }),
  }),
  { minLength: 1, maxLength: 12 },
)

describe('an answer merged from pages', () => {
  test('has the blocks of each parser on its pages, and spans that slice the Markdown', () => {
    fc.assert(
      fc.property(documents, fc.boolean(), fc.boolean(), (pages, pageMarkers, paidBlocks) => {
        const local = answerFor(
          pages.map((one) => one.local.map(text)),
          { pageMarkers },
        )
        const bought = [1, 2, 3].flatMap((part) => {
          const numbers = pages.flatMap((one, index) => (one.part === part ? [index + 1] : []))
          const paid = numbers.map((number) => (pages[number - 1]?.paid ?? []).map(text))
          return numbers.length === 0
            ? []
            : [{ pages: numbers, reading: answerFor(paid, { pageMarkers, blocks: paidBlocks }) }]
        })
        const { reading, from } = merge(local, bought, pageMarkers)
        const wanted = pages.map((one) => (one.part === 0 ? one.local : one.paid))
        expect([...from.keys()].toSorted((a, b) => a - b)).toEqual(
          pages.flatMap((one, at) => (one.part > 0 ? [at + 1] : [])),
        )
        const { markdown = '', pages: parsed, blocks } = reading.data
        expect(parsed?.map(({ pageNumber }) => pageNumber)).toEqual(pages.map((_, at) => at + 1))
        expect(parsed?.map((one) => one.markdown)).toEqual(wanted.map((lines) => lines.join('\n\n')))
        const between = pageMarkers ? (number: number) => `\n\n---\n\n<!-- page ${number} -->\n\n` : () => '\n\n'
        const whole = wanted.reduce((made, lines, at) => {
          const gap = at > 0 && (pageMarkers || (made !== '' && lines.length > 0)) ? between(at + 1) : ''
          return made + gap + lines.join('\n\n')
        }, '')
        expect(markdown).toBe(whole)
        for (const [at, own] of (blocks ?? []).entries()) {
          if (pages[at]?.part !== 0 && !paidBlocks) continue
          expect(own.pageNumber).toBe(at + 1)
          expect(own.items.map(({ content }) => content)).toEqual(wanted[at])
          for (const { id, content, markdownSpan, bbox } of own.items) {
            expect(id.startsWith(`p${at + 1}.`)).toBe(true)
            expect(markdown.slice(...(markdownSpan ?? [0, 0]))).toBe(content)
            expect(bbox).toEqual([0, 0.3, 1, 0.4])
          }
        }
      }),
      { numRuns: 300 },
    )
  })

  test('keeps the reading of the engine for a page that the service returns without text', () => {
    const local = answerFor([[text('one')], [text('two')], []])
    const { reading, from } = merge(local, [{ pages: [2, 3], reading: answerFor([[], []]) }])
    expect(reading.data.markdown).toBe('one\n\ntwo')
    expect([...from.keys()]).toEqual([3])
  })

  test('keeps the engine’s reading of pages that the service answer lacks', () => {
    const local = answerFor([[text('one')], [text('two')], [text('three')]])
    const { reading, from } = merge(local, [{ pages: [1, 3], reading: answerFor([[text('ONE.')]]) }])
    expect(reading.data.markdown).toBe('ONE.\n\ntwo\n\nthree')
    expect([...from.keys()]).toEqual([1])
  })
})

describe('in merged pages,', () => {
  test('running lines of a bought page are removed, as on the other pages', () => {
    const local = answerFor(
      [1, 2, 3].map((number) => [header(`Annual report 2024 – ${number}`), text(`Body ${number}`)]),
    )
    const paid = answerFor([
      [{ type: 'text', content: 'Annual Report 2024 – 2', bbox: [0, 0.02, 1, 0.04] }, text('Body two, read well')],
    ])
    const { reading } = merge(local, [{ pages: [2], reading: paid }])
    expect(reading.data.markdown).toBe('Body 1\n\nBody two, read well\n\nBody 3')
    const [running, body] = reading.data.blocks?.[1]?.items ?? []
    expect(running).toMatchObject({ type: 'page_header', markdownSpan: null, content: 'Annual Report 2024 – 2' })
    expect(reading.data.markdown?.slice(...(body?.markdownSpan ?? [0, 0]))).toBe('Body two, read well')
    expect(reading.data.pages?.[1]?.markdown).toBe('Body two, read well')
  })

  test('text in the middle of a bought page stays though it resembles a running line', () => {
    const local = answerFor([1, 2, 3].map((number) => [header(`Report ${number}`), text(`Body ${number}`)]))
    const paid = answerFor([[text('See'), text('Report 7'), text('for more')]])
    expect(merge(local, [{ pages: [2], reading: paid }]).reading.data.markdown).toContain('See\n\nReport 7\n\nfor more')
  })

  test('headings of a bought page take the levels of the document', () => {
    const local = answerFor([
      [heading('# The title'), heading('## 1 First'), heading('### 1.1 Detail')],
      [heading('## 2 Sec0nd'), text('bad')],
      [heading('## 3 Third')],
    ])
    const paid = answerFor([[heading('# 2 Second'), text('good'), heading('## 2.1 More'), heading('# Remarks')]])
    const { reading } = merge(local, [{ pages: [2], reading: paid }])
    expect(reading.data.markdown).toBe(
      '# The title\n\n## 1 First\n\n### 1.1 Detail\n\n## 2 Second\n\ngood\n\n### 2.1 More\n\n## Remarks\n\n## 3 Third',
    )
    for (const { content, markdownSpan } of reading.data.blocks?.[1]?.items ?? []) {
      expect(reading.data.markdown?.slice(...(markdownSpan ?? [0, 0]))).toBe(content)
    }
  })

  const table = (...rows: readonly string[]): Item => ({ type: 'table', content: rows.join('\n') })

  test('a table continued over a page break gets the header of the previous page, and keeps all cells', () => {
    const local = answerFor([
      [text('Prices'), table('| Item | Price |', '| --- | --- |', '| Nut | 1.20 |', '| Bolt | 2.00 |')],
      [table('| N | x |', '| --- | --- |', '| bad | bad |')],
    ])
    const paid = answerFor([[table('| Screw | 3.10 |', '| --- | --- |', '| Nail | 0.10 |'), text('End')]])
    const { reading } = merge(local, [{ pages: [2], reading: paid }])
    expect(reading.data.pages?.[1]?.markdown).toBe(
      '| Item | Price |\n| --- | --- |\n| Screw | 3.10 |\n| Nail | 0.10 |\n\nEnd',
    )
    for (const { content, markdownSpan } of reading.data.blocks?.[1]?.items ?? []) {
      expect(reading.data.markdown?.slice(...(markdownSpan ?? [0, 0]))).toBe(content)
    }
  })

  test('a table with its own header stays as bought', () => {
    const first = table('| Item | Price |', '| --- | --- |', '| Nut | 1.20 |')
    const second = table('| Name | Age |', '| --- | --- |', '| Ann | 31 |')
    const { reading } = merge(answerFor([[first], [table('| ? | ? |', '| --- | --- |', '| ? | ? |')]]), [
      { pages: [2], reading: answerFor([[second]]) },
    ])
    expect(reading.data.pages?.[1]?.markdown).toBe(second.content)
  })

  test('a paragraph continued over a break between two parsers stays one paragraph', () => {
    const local = answerFor([[text('The contract ends when the')], [text('??')], [text('of both parties.')]])
    const { reading } = merge(local, [{ pages: [2], reading: answerFor([[text('term is over, by notice')]]) }])
    expect(reading.data.markdown).toBe('The contract ends when the term is over, by notice of both parties.')
  })

  test('text that the engine joined over a break between two of its pages stays joined', () => {
    const local = answerFor([[text('exam')], [text('ple')], [text('??')]], {
      between: (number) => (number === 2 ? '' : '\n\n'),
    })
    const { reading } = merge(local, [{ pages: [3], reading: answerFor([[text('Good.')]]) }])
    expect(reading.data.markdown).toBe('example\n\nGood.')
  })

  test('the engine’s warning omits pages that were bought', () => {
    const warning = 'These pages could not be read: 2, 3. These pages were read with low confidence: 2.'
    const local = answerFor([[text('one')], [text('two')], [text('three')]], { warning })
    const { reading } = merge(local, [{ pages: [2], reading: answerFor([[text('TWO')]]) }])
    expect(reading.data.warning).toBe('These pages could not be read: 3.')
    expect(reading.problems).toEqual(['the service warned: These pages could not be read: 3.'])
  })
})
