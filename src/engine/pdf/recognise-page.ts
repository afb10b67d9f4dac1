import {
  LiteParse,
  type ParsedPage,
  type ScreenshotResult,
  type TextItem,
  type VectorLine,
} from '@llamaindex/liteparse'
import { deskewed } from './deskew.ts'
import { withPdfProblems } from './pdf-problem.ts'

/** Enough for body text of 8 points; finer pictures cost time and recognise no more. */
const OCR_DPI = 200
/** Enough to tell which way up a page is. */
const PROBE_DPI = 130
/** Upright English print scores 0.9 and more, garbage from a turned page below 0.6. */
const GOOD_SCORE = 0.75

/** What is recognised with less confidence is a picture, not text. */
const LEAST_CONFIDENCE = 0.35
const DARK = 150
const SHORTEST_LINE = 18
const POINTS_PER_INCH = 72

type Angle = 0 | 90 | 180 | 270

/**
 * Reads the picture of a page with Tesseract: the page with recognised words in place of its text layer. A page that
 * reads badly is tried upside down and sideways. Null when it shows nothing that reads better than `least`, 0 to 1.
 */
export async function recognisePage(
  path: string,
  page: ParsedPage,
  options: { readonly tessdataPath: string; readonly least: number },
): Promise<ParsedPage | null> {
  const recognise = (angle: Angle, dpi: number): Promise<ParsedPage | null> =>
    recognised(path, page, angle, dpi, options.tessdataPath)
  const upright = await recognise(0, OCR_DPI)
  if (upright === null) return null
  const score = scoreOf(upright)
  if (score >= GOOD_SCORE) return upright
  for (const angle of [180, 90, 270] as const) {
    const probe = await recognise(angle, PROBE_DPI)
    if (probe !== null && scoreOf(probe) >= GOOD_SCORE) return recognise(angle, OCR_DPI)
  }
  return score >= options.least ? upright : null
}

async function recognised(
  path: string,
  page: ParsedPage,
  angle: Angle,
  dpi: number,
  tessdataPath: string,
): Promise<ParsedPage | null> {
  const picture = await pictureOf(path, page.pageNum, angle, dpi)
  if (picture === null) return null
  const reader = new LiteParse({
    tessdataPath,
    dpi,
    ocrEnabled: true,
    ocrFailureFatal: false,
    numWorkers: 1,
    outputFormat: 'json',
    quiet: true,
  })
  const [read] = (await reader.parse(picture.imageBuffer)).pages
  if (read === undefined) return null
  const [width, height] = [(picture.width * POINTS_PER_INCH) / dpi, (picture.height * POINTS_PER_INCH) / dpi]
  // The library takes pictures as 150 dpi, whatever they are: brings the text back to the page's own points.
  const textItems = [...deskewed(read.textItems.filter(isText).map((item) => scaled(item, width / read.width)))]
  const upright = angle === 0 ? page : { ...read, pageNum: page.pageNum, width, height }
  return { ...upright, textItems, vectorGraphics: { shapes: [], lines: linesOf(picture) } }
}

/** Draws a page, turned back by `angle`; null for one that is blank. */
async function pictureOf(
  path: string,
  pageNumber: number,
  angle: Angle,
  dpi: number,
): Promise<ScreenshotResult | null> {
  const pageOrientationCorrections = angle === 0 ? [] : [{ page: pageNumber, angle }]
  const drawer = new LiteParse({ dpi, pageOrientationCorrections, detectScreenshotRects: true, quiet: true })
  const [picture] = await withPdfProblems(() => drawer.screenshot(path, [pageNumber]))
  return picture === undefined || picture.isSolidFill ? null : picture
}

/** Specks and rules are read as letters too, with little confidence or as bars. */
function isText(item: TextItem): boolean {
  return (item.confidence ?? 1) >= LEAST_CONFIDENCE && !/^[|_~=]+$/.test(item.text)
}

function scaled(item: TextItem, by: number): TextItem {
  return { ...item, x: item.x * by, y: item.y * by, width: item.width * by, height: item.height * by }
}

/** Dark lines of a picture: the rules of a scanned table, where the scan is clean. */
function linesOf(picture: ScreenshotResult): VectorLine[] {
  return picture.rects
    .filter(
      (rect) => rect.isLine && brightness(rect.color) < DARK && Math.max(rect.width, rect.height) >= SHORTEST_LINE,
    )
    .map(({ x, y, width, height }) => ({
      ...(width > height
        ? { x1: x, x2: x + width, y1: y + height / 2, y2: y + height / 2 }
        : { x1: x + width / 2, x2: x + width / 2, y1: y, y2: y + height }),
      stroke: true,
      fill: false,
    }))
}

/** 0 for black to 255 for white, of a colour like `ff1a2b3c`. */
function brightness(color: string): number {
  const [red = 0, green = 0, blue = 0] = [2, 4, 6].map((at) => parseInt(color.slice(at, at + 2), 16))
  return 0.3 * red + 0.59 * green + 0.11 * blue
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
