import { open } from 'node:fs/promises'
import { describe, expect, test } from 'vitest'
import { countPdfPages } from '../../src/pdf/inspect-pdf.ts'
import { buildPdf, lockedPdf, paragraph, type PdfPage, text } from '../../../../test/support/build-pdf.ts'
import { pdfOf } from '../support/pdf-of.ts'
import { BuiltPdfs } from '../../../../test/support/built-pdfs.ts'
import { shared } from '../../../../test/support/shared.ts'

const pdfs = await shared(BuiltPdfs.open())

const SENTENCES = [
  'The harbour was built in the year 1842 by the town itself,',
  'and its walls have stood through every storm since then.',
  'Ships of up to ninety metres can lie at the northern quay.',
]

const ARTICLE: readonly PdfPage[] = [
  { content: text(72, 90, 'The Old Harbour', 22, 'bold') + paragraph(72, 140, SENTENCES) },
  { content: text(72, 90, 'Tides', 16, 'bold') + paragraph(72, 130, SENTENCES) },
]

/** One page, and a stream of zeros that take no space on the disk. */
async function writeSparsePdf(path: string, bytes: number): Promise<void> {
  const objects = [
    '<</Type/Catalog/Pages 2 0 R>>',
    '<</Type/Pages/Kids[3 0 R]/Count 1>>',
    '<</Type/Page/Parent 2 0 R/MediaBox[0 0 99 99]>>',
    `<</Length ${bytes}>>\nstream\n`,
  ]
  let head = '%PDF-1.7\n'
  const rows = objects.map((object, at) => {
    const row = `${String(head.length).padStart(10, '0')} 00000 n \n`
    head += `${at + 1} 0 obj\n${object}${at < 3 ? '\nendobj\n' : ''}`
    return row
  })
  const end = '\nendstream\nendobj\n'
  const table = `xref\n0 5\n0000000000 65535 f \n${rows.join('')}trailer<</Size 5/Root 1 0 R>>\n`
  await using file = await open(path, 'w')
  await file.write(head)
  const startxref = head.length + bytes + end.length
  await file.write(`${end}${table}startxref\n${startxref}\n%%EOF`, head.length + bytes)
}

describe('a PDF with text', () => {
  test('becomes Markdown, pages and blocks whose spans fit', async () => {
    const result = await pdfs.convert(ARTICLE)
    expect(result.markdown).toBe(`# The Old Harbour\n\n${SENTENCES.join(' ')}\n\n## Tides\n\n${SENTENCES.join(' ')}`)
    expect(result.pages?.map((page) => page.pageNumber)).toEqual([1, 2])
    expect(result.pages?.[1]?.markdown).toBe(`## Tides\n\n${SENTENCES.join(' ')}`)
    const items = result.blocks?.flatMap((page) => page.items) ?? []
    expect(items.map((item) => item.type)).toEqual(['title', 'text', 'section_header', 'text'])
    for (const item of items) expect(result.markdown.slice(...(item.markdownSpan ?? []))).toBe(item.content)
    expect(result.metadata).toMatchObject({ numPages: 2, totalPages: 2 })
  })

  test('has boxes at the positions of its text', async () => {
    const { blocks } = await pdfs.convert(ARTICLE)
    const [x0 = 0, y0 = 0, x1 = 0, y1 = 0] = blocks?.[0]?.items[0]?.bbox ?? []
    expect([x0 * 612, y1 * 792].map(Math.round)).toEqual([72, expect.closeTo(95, -1)])
    expect(x1).toBeGreaterThan(x0)
    expect(y1).toBeGreaterThan(y0)
  })

  test('has the same Markdown whether or not pages and blocks are asked for', async () => {
    const bare = await pdfs.convert(ARTICLE, { pages: false, blocks: false })
    expect(bare.markdown).toBe((await pdfs.convert(ARTICLE)).markdown)
    expect([bare.pages, bare.blocks]).toEqual([null, null])
  })

  test('has its page breaks marked on request', async () => {
    const { markdown } = await pdfs.convert(ARTICLE, { pageMarkers: true })
    expect(markdown).toContain('northern quay.\n\n---\n\n<!-- page 2 -->\n\n## Tides')
  })

  test('is cut at maxPages and still states its number of pages', async () => {
    const path = await pdfs.write(buildPdf(ARTICLE))
    const result = await pdfs.convertFile(path, { maxPages: 1 })
    expect(result.metadata).toMatchObject({ numPages: 1, totalPages: 2 })
    expect(result.markdown).not.toContain('Tides')
    expect(await countPdfPages(path)).toBe(2)
  })

  test.each([
    ['leads in a circle', [], '2 0 R', 1_000_000, /^$/],
    ['names one page 200,000 times', ['Tides'], '4 0 R '.repeat(200_000), 200_000, /^#? ?Tides/],
    ['counts pages that are not there', ['Tides'], '4 0 R', 1_000_000, /^#? ?Tides/],
  ])('whose page tree %s is read as far as it has objects', async (_, pages, kids, count, markdown) => {
    const path = await pdfs.write(pdfOf(pages, kids, count))
    const result = await pdfs.convertFile(path)
    expect(result.metadata).toMatchObject({ numPages: 3 + 2 * pages.length, totalPages: count })
    expect(result.markdown).toMatch(markdown)
    expect(await countPdfPages(path)).toBe(3 + 2 * pages.length)
  })

  test('larger than a buffer has its pages counted without reading them', async () => {
    const path = await pdfs.write(Buffer.alloc(0))
    await writeSparsePdf(path, 3 * 2 ** 30)
    expect(await countPdfPages(path)).toBe(1)
  })

  test('yields title, author and keywords from its XMP packet', async () => {
    const xmp =
      '<dc:title><rdf:Alt><rdf:li xml:lang="x-default">Quays &amp; Tides</rdf:li></rdf:Alt></dc:title>' +
      '<dc:creator><rdf:Seq><rdf:li>A. Writer</rdf:li><rdf:li>B. Reader</rdf:li></rdf:Seq></dc:creator>' +
      '<pdf:Keywords>harbour, tide</pdf:Keywords>'
    const result = await pdfs.convertFile(await pdfs.write(buildPdf(ARTICLE, { xmp })))
    expect(result.metadata).toMatchObject({
      title: 'Quays & Tides',
      author: 'A. Writer, B. Reader',
      keywords: 'harbour, tide',
    })
  })

  test('may hold empty pages', async () => {
    const result = await pdfs.convert([{ content: '' }], { mode: 'fast' })
    expect(result.markdown).toBe('')
    expect(result.pages).toEqual([{ pageNumber: 1, markdown: '' }])
    expect(result.blocks).toMatchObject([{ pageNumber: 1, status: 'ok', items: [] }])
  })

  test('stops between pages on abort', async () => {
    const path = await pdfs.write(buildPdf(ARTICLE))
    const stopped = AbortSignal.abort(new Error('enough'))
    await expect(pdfs.convertFile(path, {}, stopped)).rejects.toThrow('enough')
  })
})

describe('a scan', () => {
  test('is read by OCR in mode auto and requires it in mode fast', async () => {
    const path = await pdfs.writeScan(ARTICLE.slice(0, 1))
    const result = await pdfs.convertFile(path)
    expect(result.markdown).toContain('Ships of up to ninety metres can lie at the northern quay.')
    const [item] = result.blocks?.[0]?.items ?? []
    expect(item?.source).toBe('layout_ocr')
    expect(item?.confidence.ocr).toBeGreaterThan(0.8)
    await expect(pdfs.convertFile(path, { mode: 'fast' })).rejects.toMatchObject({ problem: 'ocr_required' })
  })

  test('is read when it is upside down', async () => {
    const result = await pdfs.convertFile(await pdfs.writeScan(ARTICLE.slice(0, 1), { rotate: 180 }))
    expect(result.markdown).toContain('Ships of up to ninety metres can lie at the northern quay.')
  })

  test('is assumed for every page in mode ocr', async () => {
    const result = await pdfs.convert(ARTICLE.slice(0, 1), { mode: 'ocr' })
    expect(result.markdown).toContain('Ships of up to ninety metres can lie at the northern quay.')
    expect(result.blocks?.[0]?.items.map((item) => item.source)).toEqual(['layout_ocr', 'layout_ocr'])
  })
})

describe('an unreadable PDF', () => {
  test.each([
    ['encrypted', 'a locked one', () => lockedPdf('The Old Harbour', 'secret')],
    ['corrupt', 'one cut in the middle', () => buildPdf(ARTICLE).subarray(0, 900)],
    ['corrupt', 'an empty one', () => Buffer.alloc(0)],
    ['wrong_type', 'a web page', () => Buffer.from('<html><body>Not a PDF</body></html>')],
  ])('is refused as %s (%s)', async (problem, _, bytes) => {
    const path = await pdfs.write(await bytes())
    await expect(pdfs.convertFile(path)).rejects.toMatchObject({ name: 'ConversionError', problem })
    await expect(countPdfPages(path)).rejects.toMatchObject({ problem })
  })
})
