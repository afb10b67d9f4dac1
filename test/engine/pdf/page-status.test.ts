import { deflateSync } from 'node:zlib'
import Pdf from 'pdfkit'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { gradePage } from '#src/engine/grade/grade-page.ts'
import { convertPdf } from '#src/engine/pdf/convert-pdf.ts'
import { buildPdf, type PdfPage, text } from '../../support/build-pdf.ts'
import { BuiltPdfs } from '../../support/built-pdfs.ts'

const SENTENCE = 'Ships of up to ninety metres can lie at the northern quay.'
const PAGE: PdfPage = { content: text(72, 90, SENTENCE) + text(72, 110, 'Smaller ones moor behind the breakwater.') }
const OPTIONS = { type: 'pdf', mode: 'auto', pages: true, blocks: true, pageMarkers: false } as const

let pdfs: BuiltPdfs
beforeAll(async () => {
  pdfs = await BuiltPdfs.open()
})
afterAll(() => pdfs[Symbol.asyncDispose]())

/** A PDF whose text is encrypted. */
async function locked(userPassword: string): Promise<Buffer> {
  const pdf = new Pdf({ userPassword })
  pdf.text(SENTENCE).end()
  const chunks: Buffer[] = []
  for await (const chunk of pdf as AsyncIterable<Buffer>) chunks.push(chunk)
  return Buffer.concat(chunks)
}

const input = (path: string) => ({ path, cacheFolder: pdfs.cacheFolder, onlyMainContent: false })

describe('a PDF with a password', () => {
  test('is opened with the first of the given passwords that fits, and refused without one', async () => {
    const path = await pdfs.write(await locked('secret'))
    const opened = await convertPdf({ ...input(path), passwords: ['wrong', 'secret'] }, OPTIONS)
    expect(opened.markdown).toContain(SENTENCE)
    await expect(convertPdf({ ...input(path), passwords: ['wrong'] }, OPTIONS)).rejects.toMatchObject({
      problem: 'encrypted',
      message: expect.stringContaining('SLUICE_ENGINE_PASSWORDS'),
    })
  })
})

describe('the page status of a scan', () => {
  test('is partial, says why and keeps its pages when the time for OCR is over before they are read', async () => {
    const path = await pdfs.writeScan([PAGE, PAGE])
    const result = await convertPdf({ ...input(path), ocrBudgetMs: 0 }, OPTIONS)
    expect(result.blocks?.map(({ status }) => status)).toEqual(['partial', 'partial'])
    expect(result.warning).toBe(
      'These pages were not read to the end, because the time for OCR was over; set a longer timeout: 1, 2.',
    )
    expect(result.pages).toHaveLength(2)
  })
})

describe('a page too large to draw', () => {
  const picture = { width: 8, height: 8, grey: new Uint8Array(64).fill(90) }
  const enlarged = (pdf: Buffer): Buffer =>
    Buffer.from(pdf.toString('latin1').replaceAll('[0 0 612 792]', '[0 0 900000 900000]'), 'latin1')

  test('is read where it has text, and a limit of resources, not damage, where it has none', async () => {
    const written = await pdfs.write(enlarged(buildPdf([PAGE])))
    expect((await convertPdf(input(written), OPTIONS)).markdown).toContain(SENTENCE)
    const shown = await pdfs.write(enlarged(buildPdf([{ content: '', picture }])))
    await expect(convertPdf(input(shown), OPTIONS)).rejects.toMatchObject({ problem: 'resource_limit' })
  })

  test('is partial where a picture stands beside its text, and has no grade to trust where it is left unread', async () => {
    const path = await pdfs.write(enlarged(buildPdf([{ ...PAGE, picture }, { content: '', picture }, PAGE])))
    const { blocks, warning, quality } = await convertPdf(input(path), OPTIONS)
    expect(blocks?.map(({ status }) => status)).toEqual(['partial', 'partial', 'ok'])
    expect(warning).toBe('These pages are too large to draw: pictures on them were not read: 1, 2.')
    expect(quality?.map((page) => gradePage(page).grade > 0.5)).toEqual([true, false, true])
  })
})

describe('a PDF whose pages come out blank', () => {
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
