import { drawPages } from '../../src/engine/pdf/ink/draw-pages.ts'
import { buildPdf } from '../../test/support/build-pdf.ts'

const DPI = 200

/** The first page of a PDF as a scanner would give it: one grey picture, no text. */
export async function scanOf(pdf: Buffer): Promise<Buffer> {
  const drawn = await drawPages({ source: pdf, password: null }, [{ pageNumber: 1, turn: 0 }], { dpi: DPI })
  const picture = drawn.get(1)
  if (picture === undefined) throw new Error('The page could not be drawn.')
  return buildPdf([{ content: '', picture }])
}
