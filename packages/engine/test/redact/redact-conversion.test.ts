import { assert, constantFrom, nat, property, string, uniqueArray } from '../../../../test/support/fast-check.ts'
import { describe, expect, test } from 'vitest'
import { PII_ENTITIES, type RedactionOptions, type Block } from '@sluice/contract'
import type { Conversion } from '../../src/conversion.ts'
import { NO_MODEL_WARNING, redactConversion, redactionOf } from '../../src/redact/redact-conversion.ts'
import { OffsetMap, replaceSpans } from '../../src/redact/replace-spans.ts'

const fast: RedactionOptions = { mode: 'fast', entities: [...PII_ENTITIES], replaceStyle: 'tag' }

const MARKDOWN =
  '# Report by John Smith\n\nMail john@example.org or call (212) 555-0123.\n\nJohn Smith, 12 Main Street, Springfield.'

function block(content: string, index: number): Block {
  const start = MARKDOWN.indexOf(content, index)
  return {
    id: `p1.b${index}`,
    type: 'text',
    label: null,
    bbox: [0, 0, 1, 1],
    content,
    markdownSpan: start < 0 ? null : [start, start + content.length],
    readingOrder: index,
    source: 'native_text',
    confidence: { layout: null, ocr: null },
  }
}

const CONVERSION: Conversion = {
  markdown: MARKDOWN,
  html: '<h1>Report by John Smith</h1><p>Mail <a href="mailto:john@example.org">john@example.org</a>, <a href="/x">more</a></p>',
  pages: [{ pageNumber: 1, markdown: MARKDOWN }],
  blocks: [{ pageNumber: 1, width: 1, height: 1, status: 'ok', items: MARKDOWN.split('\n\n').map(block) }],
  links: ['mailto:john@example.org', 'https://example.org/'],
  images: [],
  metadata: { title: 'Report by John Smith', keywords: ['a', 'john@example.org'], numPages: 1 },
  warning: null,
}

describe('a redacted conversion', () => {
  test('is consistent in Markdown, pages, blocks, HTML, links and metadata', () => {
    const redacted = redactConversion(CONVERSION, fast)
    expect(redacted.markdown).toBe('# Report by <PERSON>\n\nMail <EMAIL> or call <PHONE>.\n\n<PERSON>, <LOCATION>.')
    expect(redacted.pages?.[0]?.markdown).toBe(redacted.markdown)
    expect(redacted.html).toBe('<h1>Report by &#x3C;PERSON></h1><p>Mail <a>&#x3C;EMAIL></a>, <a href="/x">more</a></p>')
    expect(redacted.links).toEqual(['https://example.org/'])
    expect(redacted.metadata).toEqual({ title: 'Report by <PERSON>', keywords: ['a', '<EMAIL>'], numPages: 1 })
    expect(JSON.stringify(redacted)).not.toMatch(/Smith|john@|555/)
  })

  test('has blocks whose spans slice the new Markdown exactly', () => {
    for (const replaceStyle of ['tag', 'mask', 'remove'] as const) {
      const { markdown, blocks } = redactConversion(CONVERSION, { ...fast, replaceStyle })
      const items = blocks?.[0]?.items ?? []
      expect(items.map((item) => item.markdownSpan && markdown.slice(...item.markdownSpan))).toEqual(
        items.map((item) => item.content),
      )
      expect(items.map((item) => item.content).join('\n\n')).toBe(markdown)
    }
  })

  test('empties a block whose text is not in the Markdown, as no model has read it', () => {
    const header = { ...block('Jane Roe, jane@example.org', 9), type: 'page_header' }
    const page = { pageNumber: 1, width: 1, height: 1, status: 'ok' as const, items: [header] }
    const redacted = redactConversion({ ...CONVERSION, blocks: [page] }, fast)
    expect(redacted.blocks?.[0]?.items).toMatchObject([{ content: '', markdownSpan: null }])
  })

  test('masks letter by letter, or removes the text', () => {
    const text = { ...CONVERSION, markdown: 'To john@example.org!', blocks: null }
    expect(redactConversion(text, { ...fast, replaceStyle: 'mask' }).markdown).toBe('To ****************!')
    expect(redactConversion(text, { ...fast, replaceStyle: 'remove' }).markdown).toBe('To !')
  })

  test('keeps text outside the named entities', () => {
    const { markdown } = redactConversion(CONVERSION, { ...fast, entities: ['EMAIL'] })
    expect(markdown).toBe(MARKDOWN.replace('john@example.org', '<EMAIL>'))
  })

  test('warns only when a model was requested', () => {
    expect(redactConversion(CONVERSION, fast).warning).toBeNull()
    expect(redactConversion({ ...CONVERSION, warning: 'Cut.' }, { ...fast, mode: 'accurate' }).warning).toBe(
      `Cut. ${NO_MODEL_WARNING}`,
    )
  })

  test('is requested by true, with the defaults of the contract', () => {
    expect(redactionOf(true)).toEqual({ mode: 'accurate', entities: [...PII_ENTITIES], replaceStyle: 'tag' })
    expect(redactionOf(false)).toBeNull()
  })
})

test('offsets outside replaced text point at the same characters after it', () => {
  const cuts = uniqueArray(nat(60), { minLength: 0, maxLength: 12 })
  const style = constantFrom('tag', 'mask', 'remove')
  assert(
    property(
      string({ minLength: 61, maxLength: 80 }),
      cuts,
      style,
      nat(60),
      nat(60),
      (text, points, replaceStyle, a, b) => {
        const ends = points.sort((x, y) => x - y)
        const spans = ends.flatMap((start, i) =>
          i % 2 === 0 && ends[i + 1] !== undefined ? [{ start, end: ends[i + 1] ?? 0, entity: 'EMAIL' as const }] : [],
        )
        const range: [number, number] = [Math.min(a, b), Math.max(a, b)]
        const mapped = new OffsetMap(spans, replaceStyle).mapRange(range)
        const isCut = spans.some(({ start, end }) => range.some((offset) => start < offset && offset < end))
        expect(mapped === null).toBe(isCut)
        if (mapped === null) return
        const inside = spans.filter(({ start, end }) => start >= range[0] && end <= range[1])
        const moved = inside.map((span) => ({ ...span, start: span.start - range[0], end: span.end - range[0] }))
        expect(replaceSpans(text, spans, replaceStyle).slice(...mapped)).toBe(
          replaceSpans(text.slice(...range), moved, replaceStyle),
        )
      },
    ),
  )
})
