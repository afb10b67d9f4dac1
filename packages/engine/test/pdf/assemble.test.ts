import { NOTHING_KNOWN } from '../../src/grade/signals.ts'
import * as fc from '../../../../test/support/fast-check.ts'
import { describe, expect, test } from 'vitest'
import { assemble, blockPages, parsedPages } from '../../src/pdf/assemble.ts'
import type { Fragment, PageFragments } from '../../src/pdf/fragment.ts'

const fragment = fc.record<Fragment>({
  type: fc.constantFrom('text', 'table', 'page_header'),
  label: fc.constant('paragraph'),
  bbox: fc.option(fc.record({ x0: fc.nat(700), y0: fc.nat(900), x1: fc.nat(700), y1: fc.nat(900) })),
  // Letters of one, two and four bytes: offsets must count UTF-16 units and nothing else.
  markdown: fc.string({ unit: fc.constantFrom('a', ' ', '\n', 'é', 'Ω', '😀', '|'), maxLength: 12 }),
  spacing: fc.constantFrom('loose', 'tight', 'run_on', 'glued'),
  source: fc.constant('native_text'),
  ocrConfidence: fc.constant(null),
})

const documents = fc.array(fc.array(fragment, { maxLength: 6 }), { maxLength: 5 }).map((pages) =>
  pages.map((fragments, index): PageFragments => ({
    pageNumber: index + 1,
    size: { width: 612, height: 792 },
    problems: [],
    signals: NOTHING_KNOWN,
    fragments,
    links: [],
  })),
)

describe('a document assembled from fragments', () => {
  test('has spans that slice its Markdown to the content of each block exactly', () => {
    fc.assert(
      fc.property(documents, fc.boolean(), (pages, pageMarkers) => {
        const assembly = assemble(pages, { pageMarkers })
        const blocks = blockPages(pages, assembly).flatMap((page) => page.items)
        const fragments = pages.flatMap((page) => page.fragments)
        expect(blocks).toHaveLength(fragments.length)
        for (const [index, block] of blocks.entries()) {
          expect(block.markdownSpan).not.toBeNull()
          expect(assembly.markdown.slice(...(block.markdownSpan ?? []))).toBe(block.content)
          expect(block.content).toBe(fragments[index]?.markdown)
        }
      }),
    )
  })

  test('names its blocks by page and reading order and keeps boxes within the page', () => {
    fc.assert(
      fc.property(documents, (pages) => {
        for (const page of blockPages(pages, assemble(pages, { pageMarkers: false }))) {
          expect(page.items.map((item) => item.id)).toEqual(page.items.map((_, i) => `p${page.pageNumber}.b${i}`))
          expect(page.items.map((item) => item.readingOrder)).toEqual(page.items.map((_, i) => i))
          expect(page.items.flatMap((item) => item.bbox ?? []).every((edge) => edge >= 0 && edge <= 1)).toBe(true)
        }
      }),
    )
  })

  test('marks page breaks between pages only, with the number of the page that follows', () => {
    const pages = [one(1, 'First.'), one(2, 'Second.')]
    expect(assemble(pages, { pageMarkers: true }).markdown).toBe('First.\n\n---\n\n<!-- page 2 -->\n\nSecond.')
    expect(assemble(pages, { pageMarkers: false }).markdown).toBe('First.\n\nSecond.')
  })

  test('lists every physical page, empty ones too', () => {
    expect(parsedPages([one(1, 'First.'), one(2, '')])).toEqual([
      { pageNumber: 1, markdown: 'First.' },
      { pageNumber: 2, markdown: '' },
    ])
  })
})

function one(pageNumber: number, markdown: string): PageFragments {
  return {
    pageNumber,
    size: { width: 612, height: 792 },
    problems: [],
    signals: NOTHING_KNOWN,
    links: [],
    fragments: [
      {
        type: 'text',
        label: 'paragraph',
        bbox: null,
        markdown,
        spacing: 'loose',
        source: 'native_text',
        ocrConfidence: null,
      },
    ],
  }
}
