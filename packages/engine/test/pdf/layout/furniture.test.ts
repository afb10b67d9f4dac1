import { describe, expect, test } from 'vitest'
import { paragraph, text } from '../../../../../test/support/build-pdf.ts'
import { BuiltPdfs } from '../../../../../test/support/built-pdfs.ts'
import { shared } from '../../../../../test/support/shared.ts'

const pdfs = await shared(BuiltPdfs.open())

const BODY = ['The harbour was built in the year 1842 by the town itself,', 'and its walls have stood ever since.']

describe('a line at the edge of a page', () => {
  test('that repeats is kept when the page has no other text', async () => {
    const pages = Array.from({ length: 6 }, (_, index) => ({ content: text(72, 40, `Potato ${index + 1}`) }))
    const { markdown, pages: perPage } = await pdfs.convert(pages)
    expect(markdown.match(/Potato \d/g)).toEqual(pages.map((_, index) => `Potato ${index + 1}`))
    expect(perPage?.map((page) => page.markdown)).toEqual(pages.map((_, index) => `Potato ${index + 1}`))
  })

  test('that repeats is left out when the page has other text', async () => {
    const pages = Array.from({ length: 6 }, (_, index) => ({
      content: text(72, 40, `Harbour Report ${index + 1}`) + paragraph(72, 200, BODY),
    }))
    const { markdown } = await pdfs.convert(pages)
    expect(markdown).not.toContain('Harbour Report')
    expect(markdown.match(/walls have stood/g)).toHaveLength(6)
  })

  test.each([
    ['a small title with a page number on a page with a wide margin', 'Of Harbours and Tides 9', 9, 95, false],
    ['a page number with its chapter', '7-45', 11, 60, false],
    ['a note of one line at the foot', '1 Footnote on the walls of the harbour.', 9, 740, true],
    ['a note that ends with a date', '1 See the harbour report of 2018-06-18.', 9, 740, true],
    ['a footer with a year', '2 Annual Report and Accounts 2018', 9, 740, false],
    ['a numbered line at the foot', '12 Of Harbours and Tides', 9, 740, false],
    ['a large numbered title', 'Report 9', 20, 95, true],
  ])('like %s is kept on a single page only as content', async (_, printed, size, top, kept) => {
    const { markdown } = await pdfs.convert([{ content: text(72, top, printed, size) + paragraph(72, 160, BODY) }])
    expect(markdown.includes(printed)).toBe(kept)
    expect(markdown).toContain('walls have stood')
  })

  test.each([
    ['goes with the number at the other edge', 9, 765, false],
    ['is a title where it is large', 16, 765, true],
    ['is text on a page without a number', 9, null, true],
  ])('without a number at the top of a single page %s', async (_, size, number, kept) => {
    const foot = number === null ? '' : text(300, number, 'Page 17', 9)
    const { markdown } = await pdfs.convert([
      { content: text(72, 34, 'Of Harbours and Tides', size) + paragraph(72, 90, BODY) + foot },
    ])
    expect(markdown.includes('Of Harbours and Tides')).toBe(kept)
  })
})
