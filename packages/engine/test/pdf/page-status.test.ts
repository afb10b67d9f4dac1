import { deflateSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { gradePage } from '../../src/grade/grade-page.ts'
import { convertPdf } from '../../src/pdf/convert-pdf.ts'
import { buildPdf, lockedPdf, type PdfPage, text } from '../../../../test/support/build-pdf.ts'
import { BuiltPdfs } from '../../../../test/support/built-pdfs.ts'
import { shared } from '../../../../test/support/shared.ts'

const SENTENCE = 'Ships of up to ninety metres can lie at the northern quay.'
const PAGE: PdfPage = { content: text(72, 90, SENTENCE) + text(72, 110, 'Smaller ones moor behind the breakwater.') }
const OPTIONS = { type: 'pdf', mode: 'auto', pages: true, blocks: true, pageMarkers: false } as const

const pdfs = await shared(BuiltPdfs.open())

const input = (path: string) => ({ path, cacheFolder: pdfs.cacheFolder, onlyMainContent: false })

describe('a PDF with a password', () => {
  test('is opened with the first of the given passwords that fits, and refused without one', async () => {
    const path = await pdfs.write(await lockedPdf(SENTENCE, 'secret'))
    const opened = await convertPdf({ ...input(path), passwords: ['wrong', 'secret'] }, OPTIONS)
    expect(opened.markdown).toContain(SENTENCE)
    await expect(convertPdf({ ...input(path), passwords: ['wrong'] }, OPTIONS)).rejects.toMatchObject({
      problem: 'encrypted',
      message: expect.stringContaining('SLUICE_ENGINE_PASSWORDS'),
    })
  })
})

describe('the page status of a scan', () => {
  test('is partial, states the cause and keeps its pages when the time for OCR ends before they are read', async () => {
    const path = await pdfs.writeScan([PAGE, PAGE])
    const result = await convertPdf({ ...input(path), ocrBudgetMs: 0 }, OPTIONS)
    expect(result.blocks?.map(({ status }) => status)).toEqual(['partial', 'partial'])
    expect(result.warning).toBe(
      'These pages were not read completely, because OCR ran out of time; set a longer timeout: 1, 2.',
    )
    expect(result.pages).toHaveLength(2)
  })
})

describe('a page too large to draw', () => {
  const picture = { width: 8, height: 8, grey: new Uint8Array(64).fill(90) }
  const enlarged = (pdf: Buffer): Buffer =>
    Buffer.from(pdf.toString('latin1').replaceAll('[0 0 612 792]', '[0 0 900000 900000]'), 'latin1')

  test('is read with text, and reported as a limit of resources instead of damage without text', async () => {
    const written = await pdfs.write(enlarged(buildPdf([PAGE])))
    expect((await convertPdf(input(written), OPTIONS)).markdown).toContain(SENTENCE)
    const shown = await pdfs.write(enlarged(buildPdf([{ content: '', picture }])))
    await expect(convertPdf(input(shown), OPTIONS)).rejects.toMatchObject({ problem: 'resource_limit' })
  })

  test('is partial with an unread picture next to its text, and has no trusted grade', async () => {
    const path = await pdfs.write(enlarged(buildPdf([{ ...PAGE, picture }, { content: '', picture }, PAGE])))
    const { blocks, warning, quality } = await convertPdf(input(path), OPTIONS)
    expect(blocks?.map(({ status }) => status)).toEqual(['partial', 'partial', 'ok'])
    expect(warning).toBe('These pages are too large to render, so OCR did not read their pictures: 1, 2.')
    expect(quality?.map((page) => gradePage(page).grade > 0.5)).toEqual([true, false, true])
  })
})

describe('a PDF with blank pages', () => {
  const withContent = (dictionary: string, content: Buffer): Buffer => {
    const head = `%PDF-1.4\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj\n2 0 obj<</Type/Pages/Kids[3 0 R]/Count 1>>endobj\n3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 300 200]/Contents 4 0 R>>endobj\n4 0 obj<<${dictionary}/Length ${content.length}>>stream\n`
    return Buffer.concat([
      Buffer.from(head),
      content,
      Buffer.from('\nendstream endobj\ntrailer<</Root 1 0 R>>\n%%EOF\n'),
    ])
  }
  const deflated = deflateSync(Buffer.from('BT /F0 12 Tf 20 100 Td (Ships of up to ninety metres) Tj ET'))
  const damaged = Buffer.concat([deflated.subarray(0, 6), Buffer.alloc(20, 0xff), deflated.subarray(26)])

  test.each([
    ['failed where its content is damaged', withContent('/Filter/FlateDecode', damaged), 'failed'],
    ['ok where it has no content', withContent('', Buffer.from(' ')), 'ok'],
    ['ok where it draws white', withContent('', Buffer.from('1 g 0 0 300 200 re f')), 'ok'],
  ])('is %s', async (_, pdf, status) => {
    const { blocks, warning, markdown } = await convertPdf(input(await pdfs.write(pdf)), OPTIONS)
    expect(blocks?.map((page) => page.status)).toEqual([status])
    expect(warning).toBe(status === 'ok' ? null : 'These pages could not be read: 1.')
    expect(markdown.trim()).toBe('')
  })
})

describe('a page with text in glyph numbers of a missing font', () => {
  /** Arial's glyphs of printed ASCII stand 29 below their codes. */
  const glyphs = (words: string): string =>
    Array.from(words, (letter) => (letter.charCodeAt(0) - 29).toString(16).padStart(4, '0')).join('')
  const written = (font: string, operators: string, map = ''): Promise<string> =>
    pdfs.write(
      Buffer.from(
        [
          '%PDF-1.4\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj\n2 0 obj<</Type/Pages/Kids[3 0 R]/Count 1>>endobj',
          '3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 700 200]/Resources<</Font<</F1 5 0 R/F2 8 0 R>>>>/Contents 4 0 R>>endobj',
          `4 0 obj<</Length ${operators.length}>>stream\n${operators}\nendstream endobj`,
          `5 0 obj<</Type/Font/Subtype/Type0/BaseFont/${font}/Encoding/Identity-H${map}/DescendantFonts[6 0 R]>>endobj`,
          `6 0 obj<</Type/Font/Subtype/CIDFontType2/BaseFont/${font}/CIDSystemInfo<</Registry(Adobe)/Ordering(Identity)/Supplement 0>>/DW 600/FontDescriptor 7 0 R>>endobj`,
          `7 0 obj<</Type/FontDescriptor/FontName/${font}/Flags 32/FontBBox[-250 -288 1872 1080]/Ascent 1080/Descent -288/CapHeight 716/ItalicAngle 0/StemV 78>>endobj`,
          '8 0 obj<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>endobj\ntrailer<</Root 1 0 R>>\n%%EOF\n',
        ].join('\n'),
      ),
    )
  const garbled = `BT /F1 20 Tf 20 150 Td <${glyphs(SENTENCE)}> Tj ET`
  const plain = `BT /F2 12 Tf 20 90 Td (${SENTENCE.repeat(3)}) Tj ET`

  // The library finds the second text garbled; the first passes for Latin text.
  test.each([
    ['without a map of characters', 'ArialMT', ''],
    ['with a map that is no map', 'Calibri', '/ToUnicode 9 0 R'],
  ])('is doubtful, with a grade of 0: a font %s', async (_, font, map) => {
    const { blocks, warning, quality } = await convertPdf(input(await written(font, garbled, map)), OPTIONS)
    expect(blocks?.map(({ status }) => status)).toEqual(['partial'])
    expect(warning).toBe('These pages were read with low confidence: 1.')
    expect(quality?.map((page) => gradePage(page).grade)).toEqual([0])
  })

  test('is doubtful next to text of another font, which alone is not', async () => {
    const both = await convertPdf(input(await written('ArialMT', `${garbled} ${plain}`)), OPTIONS)
    expect(both.markdown).toContain(SENTENCE)
    expect(both.blocks?.map(({ status }) => status)).toEqual(['partial'])
    const alone = await convertPdf(input(await written('ArialMT', plain)), OPTIONS)
    expect(alone.blocks?.map(({ status }) => status)).toEqual(['ok'])
  })
})

describe('free text written over a page', () => {
  const withNote = (note: string): Promise<string> => {
    const content = `BT /F1 12 Tf 20 150 Td (${SENTENCE}) Tj ET`
    return pdfs.write(
      Buffer.from(
        [
          '%PDF-1.4\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj\n2 0 obj<</Type/Pages/Kids[3 0 R]/Count 1>>endobj',
          '3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 400 200]/Resources<</Font<</F1 5 0 R>>>>/Contents 4 0 R/Annots[6 0 R]>>endobj',
          `4 0 obj<</Length ${content.length}>>stream\n${content}\nendstream endobj`,
          '5 0 obj<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>endobj',
          `6 0 obj<</Type/Annot/Subtype/FreeText/Rect[20 40 300 90]/DA(/Helv 10 Tf 0 g)/Contents(${note})>>endobj`,
          'trailer<</Root 1 0 R>>\n%%EOF\n',
        ].join('\n'),
      ),
    )
  }

  test.each([
    ['partial where no viewer has laid it out yet', 'Closed in winter', 'partial'],
    ['ok where the page says the same', 'the northern quay', 'ok'],
  ])('makes the page %s', async (_, note, status) => {
    const { blocks, warning } = await convertPdf(input(await withNote(note)), OPTIONS)
    expect(blocks?.map((page) => page.status)).toEqual([status])
    expect(warning).toBe(status === 'ok' ? null : 'These pages show text that was not read: 1.')
  })
})
