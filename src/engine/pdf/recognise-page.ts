import { LiteParse, type ParsedPage } from '@llamaindex/liteparse'
import { withPdfProblems } from './pdf-problem.ts'

/** Enough for body text of 8 points; finer pictures cost time and recognise no more. */
const OCR_DPI = 200
/** Enough to tell which way up a page is. */
const PROBE_DPI = 100
/** Upright English print scores 0.9 and more, garbage from a turned page below 0.6. */
const GOOD_SCORE = 0.75

type Angle = 0 | 90 | 180 | 270

/**
 * Reads the picture of a page with Tesseract: the page with recognised words in place of its text layer. A page that
 * reads badly is tried upside down and sideways. Null when it shows nothing.
 */
export async function recognisePage(path: string, page: ParsedPage, tessdataPath: string): Promise<ParsedPage | null> {
  const recognise = (angle: Angle, dpi: number): Promise<ParsedPage | null> =>
    recognised(path, page.pageNum, angle, dpi, tessdataPath)
  const upright = await recognise(0, OCR_DPI)
  if (upright === null) return null
  const score = scoreOf(upright)
  if (score >= GOOD_SCORE) return { ...page, textItems: upright.textItems }
  for (const angle of [180, 90, 270] as const) {
    const probe = await recognise(angle, PROBE_DPI)
    if (probe !== null && scoreOf(probe) >= Math.max(GOOD_SCORE, score)) return recognise(angle, OCR_DPI)
  }
  return { ...page, textItems: upright.textItems }
}

async function recognised(
  path: string,
  pageNumber: number,
  angle: Angle,
  dpi: number,
  tessdataPath: string,
): Promise<ParsedPage | null> {
  const parser = new LiteParse({
    tessdataPath,
    dpi,
    pageOrientationCorrections: [{ page: pageNumber, angle }],
    ocrEnabled: true,
    ocrFailureFatal: false,
    numWorkers: 1,
    outputFormat: 'json',
    quiet: true,
  })
  const [picture] = await withPdfProblems(() => parser.screenshot(path, [pageNumber]))
  if (picture === undefined || picture.isSolidFill) return null
  const [page] = (await parser.parse(picture.imageBuffer)).pages
  return page === undefined ? null : scaledTo(page, pageNumber, (picture.width * 72) / dpi, (picture.height * 72) / dpi)
}

/** The library takes pictures as 150 dpi, whatever they are: brings the text back to the page's own points. */
function scaledTo(page: ParsedPage, pageNum: number, width: number, height: number): ParsedPage {
  const scale = width / page.width
  const textItems = page.textItems.map((item) => ({
    ...item,
    x: item.x * scale,
    y: item.y * scale,
    width: item.width * scale,
    height: item.height * scale,
  }))
  return { ...page, pageNum, width, height, textItems }
}

/** Mean confidence, times the share of words that lie: Tesseract reads sideways text too, word by word, out of order. */
function scoreOf({ textItems }: ParsedPage): number {
  const letters = textItems.reduce((sum, item) => sum + item.text.length, 0)
  if (letters === 0) return 0
  const confidence = textItems.reduce((sum, item) => sum + (item.confidence ?? 0) * item.text.length, 0) / letters
  const long = textItems.filter((item) => item.text.length >= 4)
  const lying = long.filter((item) => item.width > item.height).length
  return long.length === 0 ? confidence : (confidence * lying) / long.length
}
