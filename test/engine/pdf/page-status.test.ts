import Pdf from 'pdfkit'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
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
    })
  })
})

describe('a scan', () => {
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
  const enlarged = (pdf: Buffer): Buffer =>
    Buffer.from(pdf.toString('latin1').replaceAll('[0 0 612 792]', '[0 0 900000 900000]'), 'latin1')

  test('is read where it has text, and a limit of resources, not damage, where it has none', async () => {
    const written = await pdfs.write(enlarged(buildPdf([PAGE])))
    expect((await convertPdf(input(written), OPTIONS)).markdown).toContain(SENTENCE)
    const picture = { width: 8, height: 8, grey: new Uint8Array(64).fill(90) }
    const shown = await pdfs.write(enlarged(buildPdf([{ content: '', picture }])))
    await expect(convertPdf(input(shown), OPTIONS)).rejects.toMatchObject({ problem: 'resource_limit' })
  })
})
