import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { LiteParse } from '@llamaindex/liteparse'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { PdfParserOptions } from '#src/contract/options.ts'
import type { Conversion } from '#src/engine/conversion.ts'
import { convertPdf } from '#src/engine/pdf/convert-pdf.ts'
import { countPdfPages } from '#src/engine/pdf/inspect-pdf.ts'
import { buildPdf, paragraph, type PdfPage, text } from '../../support/build-pdf.ts'
import { decodePng } from '../../support/decode-png.ts'

let folder = ''
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'pdf-'))
})
afterAll(() => rm(folder, { recursive: true }))

const OPTIONS: PdfParserOptions = {
  type: 'pdf',
  mode: 'auto',
  pages: true,
  blocks: true,
  pageMarkers: false,
}

const SENTENCES = [
  'The harbour was built in the year 1842 by the town itself,',
  'and its walls have stood through every storm since then.',
  'Ships of up to ninety metres can lie at the northern quay.',
]

const ARTICLE: readonly PdfPage[] = [
  { content: text(72, 90, 'The Old Harbour', 22, 'bold') + paragraph(72, 140, SENTENCES) },
  { content: text(72, 90, 'Tides', 16, 'bold') + paragraph(72, 130, SENTENCES) },
]

async function written(name: string, bytes: Buffer): Promise<string> {
  const path = join(folder, name)
  await writeFile(path, bytes)
  return path
}

async function convert(path: string, options: Partial<PdfParserOptions> = {}): Promise<Conversion> {
  return convertPdf({ path, cacheFolder: join(folder, 'cache'), onlyMainContent: true }, { ...OPTIONS, ...options })
}

describe('a PDF with text', () => {
  test('becomes Markdown, pages and blocks whose spans fit', async () => {
    const result = await convert(await written('article.pdf', buildPdf(ARTICLE)))
    expect(result.markdown).toContain('# The Old Harbour\n\nThe harbour was built in the year 1842')
    expect(result.pages?.map((page) => page.pageNumber)).toEqual([1, 2])
    const items = result.blocks?.flatMap((page) => page.items) ?? []
    expect(items.map((item) => item.type)).toEqual(['title', 'text', 'section_header', 'text'])
    for (const item of items) expect(result.markdown.slice(...(item.markdownSpan ?? []))).toBe(item.content)
    expect(result.metadata).toMatchObject({ numPages: 2, totalPages: 2 })
  })

  test('has the same Markdown whether or not pages and blocks are asked for', async () => {
    const path = await written('same.pdf', buildPdf(ARTICLE))
    const bare = await convert(path, { pages: false, blocks: false })
    expect(bare.markdown).toBe((await convert(path)).markdown)
    expect([bare.pages, bare.blocks]).toEqual([null, null])
  })

  test('is cut at maxPages and still tells how many pages there are', async () => {
    const path = await written('long.pdf', buildPdf(ARTICLE))
    const result = await convert(path, { maxPages: 1 })
    expect(result.metadata).toMatchObject({ numPages: 1, totalPages: 2 })
    expect(result.markdown).not.toContain('Tides')
    expect(await countPdfPages(path)).toBe(2)
  })

  test('gives title, author and keywords out of its XMP packet', async () => {
    const xmp =
      '<dc:title><rdf:Alt><rdf:li xml:lang="x-default">Quays &amp; Tides</rdf:li></rdf:Alt></dc:title>' +
      '<dc:creator><rdf:Seq><rdf:li>A. Writer</rdf:li><rdf:li>B. Reader</rdf:li></rdf:Seq></dc:creator>' +
      '<pdf:Keywords>harbour, tide</pdf:Keywords>'
    const result = await convert(await written('xmp.pdf', buildPdf(ARTICLE, { xmp })))
    expect(result.metadata).toMatchObject({
      title: 'Quays & Tides',
      author: 'A. Writer, B. Reader',
      keywords: 'harbour, tide',
    })
  })
})

describe('a scan', () => {
  test('is read by OCR in mode auto and asks for it in mode fast', async () => {
    const path = await written('scan.pdf', await scanOf(ARTICLE))
    const result = await convert(path)
    expect(result.markdown).toContain('Ships of up to ninety metres can lie at the northern quay.')
    const [item] = result.blocks?.[0]?.items ?? []
    expect(item?.source).toBe('layout_ocr')
    expect(item?.confidence.ocr).toBeGreaterThan(0.8)
    await expect(convert(path, { mode: 'fast' })).rejects.toMatchObject({ problem: 'ocr_required' })
  })
})

describe('a file that is no readable PDF', () => {
  test.each([
    ['encrypted', 'locked.pdf', (): Buffer => buildPdf(ARTICLE, { password: 'secret' })],
    ['corrupt', 'cut.pdf', (): Buffer => buildPdf(ARTICLE).subarray(0, 900)],
    ['corrupt', 'empty.pdf', (): Buffer => Buffer.alloc(0)],
    ['wrong_type', 'page.pdf', (): Buffer => Buffer.from('<html><body>Not a PDF</body></html>')],
  ])('is refused as %s (%s)', async (problem, name, bytes) => {
    const path = await written(name, bytes())
    await expect(convert(path)).rejects.toMatchObject({ name: 'ConversionError', problem })
    await expect(countPdfPages(path)).rejects.toMatchObject({ problem })
  })
})

/** The same pages as pictures only, drawn by the library itself and put into a new PDF. */
async function scanOf(pages: readonly PdfPage[]): Promise<Buffer> {
  const path = await written('drawn.pdf', buildPdf(pages))
  const pictures = await new LiteParse({ dpi: 150, quiet: true }).screenshot(await readFile(path))
  return buildPdf(pictures.map((picture) => ({ content: '', picture: decodePng(picture.imageBuffer) })))
}
