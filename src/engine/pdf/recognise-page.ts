import { LiteParse, type ParsedPage } from '@llamaindex/liteparse'
import { withPdfProblems } from './pdf-problem.ts'

/** Enough for body text of 8 points; finer pictures cost time and recognise no more. */
const OCR_DPI = 200

/** Draws one page and reads the picture with Tesseract: text with confidences, in the page's own points. */
export async function recognisePage(
  path: string,
  pageNumber: number,
  tessdataPath: string,
): Promise<ParsedPage | null> {
  const parser = new LiteParse({
    tessdataPath,
    ocrEnabled: true,
    ocrFailureFatal: false,
    dpi: OCR_DPI,
    numWorkers: 1,
    outputFormat: 'json',
    quiet: true,
  })
  const [picture] = await withPdfProblems(() => parser.screenshot(path, [pageNumber]))
  if (picture === undefined || picture.isSolidFill) return null
  const { pages } = await parser.parse(picture.imageBuffer)
  const [page] = pages
  return page === undefined
    ? null
    : scaledTo(page, { pageNumber, width: (picture.width * 72) / OCR_DPI, height: (picture.height * 72) / OCR_DPI })
}

/** The library takes pictures as 150 dpi, whatever they are: brings the text back to the page's own points. */
function scaledTo(
  page: ParsedPage,
  to: { readonly pageNumber: number; readonly width: number; readonly height: number },
): ParsedPage {
  const scale = to.width / page.width
  return {
    ...page,
    pageNum: to.pageNumber,
    width: to.width,
    height: to.height,
    textItems: page.textItems.map((item) => ({
      ...item,
      x: item.x * scale,
      y: item.y * scale,
      width: item.width * scale,
      height: item.height * scale,
    })),
  }
}
