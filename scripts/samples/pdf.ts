import { LiteParse } from '@llamaindex/liteparse'
import Pdf from 'pdfkit'
import type { Passage } from './passage.ts'

const MARGIN = 64
const MADE = new Date(Date.UTC(2024, 11, 1))

/** An A4 report, one list of passages per page, with a running header, a footer and page numbers. */
export async function report(title: string, pages: readonly (readonly Passage[])[]): Promise<Uint8Array> {
  const pdf = open(title)
  pages.forEach((passages, index) => {
    pdf.addPage()
    pdf.x = MARGIN
    pdf.y = MARGIN + 30
    if (index === 0) pdf.font('Helvetica-Bold').fontSize(24).text(title).moveDown(0.8)
    for (const passage of passages) write(pdf, passage)
    atEdge(pdf, 36, 'Aldermere Navigation Authority', 'left')
    atEdge(pdf, 792, title, 'left')
    atEdge(pdf, 792, `Page ${index + 1} of ${pages.length}`, 'right')
  })
  return finish(pdf)
}

/** A page with only a picture of printed lines, slightly askew, like the output of a scanner. */
export async function scan(title: string, lines: readonly string[]): Promise<Uint8Array> {
  const scanned = open(title)
  scanned.addPage()
  scanned.rotate(0.2, { origin: [297, 421] }).image(await picture(title, lines), 0, 0, { width: 595 })
  return finish(scanned)
}

/** Printed lines as a PNG. */
export async function picture(title: string, lines: readonly string[]): Promise<Buffer> {
  const typed = open(title)
  typed.addPage()
  typed.font('Times-Roman').fontSize(14).text(lines.join('\n'), MARGIN, MARGIN, { lineGap: 4 })
  const [drawn] = await new LiteParse({ quiet: true, dpi: 150 }).screenshot(Buffer.from(await finish(typed)), [1])
  if (drawn === undefined) throw new Error('the page could not be drawn')
  return drawn.imageBuffer
}

function open(title: string): PDFKit.PDFDocument {
  const info = { Title: title, Author: 'Aldermere Navigation Authority', CreationDate: MADE, ModDate: MADE }
  return new Pdf({ size: 'A4', margin: MARGIN, autoFirstPage: false, info })
}

async function finish(pdf: PDFKit.PDFDocument): Promise<Uint8Array> {
  pdf.end()
  return Buffer.concat(await pdf.toArray())
}

function write(pdf: PDFKit.PDFDocument, passage: Passage): void {
  switch (passage.kind) {
    case 'heading':
      pdf
        .moveDown(0.6)
        .font('Helvetica-Bold')
        .fontSize(passage.level === 1 ? 17 : 13)
        .text(passage.text)
        .moveDown(0.5)
      return
    case 'paragraph':
      pdf.font('Helvetica').fontSize(11).text(passage.text, { lineGap: 3 }).moveDown(0.7)
      return
    case 'list':
      for (const item of passage.items)
        pdf.font('Helvetica').fontSize(11).text(`•  ${item}`, { lineGap: 3, indent: 14 })
      pdf.moveDown(0.7)
      return
    case 'table':
      pdf
        .font('Helvetica')
        .fontSize(10)
        .table({ data: passage.rows.map((row) => [...row]) })
      pdf.moveDown(1)
  }
}

/** A line in the page's top or bottom margin. */
function atEdge(pdf: PDFKit.PDFDocument, y: number, text: string, align: 'left' | 'right'): void {
  // Below the margin, pdfkit would start a new page.
  pdf.page.margins.bottom = 0
  pdf.font('Helvetica').fontSize(8).text(text, MARGIN, y, { align, lineBreak: true })
  pdf.page.margins.bottom = MARGIN
}
