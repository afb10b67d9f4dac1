import { type DrawnPage, drawPages } from '../../../packages/engine/src/pdf/ink/draw-pages.ts'
import { writePdf } from './write-pdf.ts'

/** The first page of a PDF, by its path or its bytes, as the library draws it. */
export async function drawnPage(source: string | Buffer, dpi: number): Promise<DrawnPage> {
  const drawn = await drawPages({ source, password: null }, [{ pageNumber: 1, turn: 0 }], { dpi })
  const page = drawn.get(1)
  if (page === undefined) throw new Error('the library drew no page')
  return page
}

/** A sheet with this content alone. */
export const drawnSheet = (
  sheet: { readonly width: number; readonly height: number },
  content: string,
  dpi: number,
): Promise<DrawnPage> => drawnPage(writePdf({ ...sheet, pictures: [], inForm: false, over: content }), dpi)
