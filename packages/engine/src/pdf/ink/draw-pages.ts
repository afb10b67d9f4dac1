import { LiteParse, type ScreenshotRect } from '@llamaindex/liteparse'
import { withPdfProblems } from '../page/pdf-problem.ts'
import type { Turn } from '../page/text-layer.ts'
import { decodePng } from './decode-png.ts'
import { type PageDrawing, POINTS_PER_INCH } from './grey-picture.ts'

export interface PageToDraw {
  readonly pageNumber: number
  readonly turn: Turn
}

/** The PDF to render: its path, or its bytes if the caller changed them. */
export interface PdfToDraw {
  readonly source: string | Buffer
  readonly password: string | null
}

export interface DrawOptions {
  readonly dpi: number
  /** Finds solid rectangles and lines in the drawing too. Default: false. */
  readonly findRects?: boolean
}

export interface DrawnPage extends PageDrawing {
  /** In points. Empty unless requested. */
  readonly rects: readonly ScreenshotRect[]
}

/**
 * Renders pages in grey, indexed by page number. Batch as many pages per call as possible, because opening the file
 * costs as much as two pages. Throws `ConversionError` if the library cannot draw one of them.
 */
export async function drawPages(
  { source, password }: PdfToDraw,
  pages: readonly PageToDraw[],
  { dpi, findRects = false }: DrawOptions,
): Promise<Map<number, DrawnPage>> {
  if (pages.length === 0) return new Map()
  const drawer = new LiteParse({
    dpi,
    detectScreenshotRects: findRects,
    quiet: true,
    pageOrientationCorrections: pages
      .filter(({ turn }) => turn !== 0)
      .map(({ pageNumber, turn }) => ({ page: pageNumber, angle: turn })),
    ...(password === null ? {} : { password }),
  })
  const numbers = pages.map(({ pageNumber }) => pageNumber)
  const drawn = await withPdfProblems(() => drawer.screenshot(source, numbers))
  const perPoint = dpi / POINTS_PER_INCH
  return new Map(
    drawn.map(({ pageNum, imageBuffer, rects }) => [pageNum, { ...decodePng(imageBuffer), perPoint, rects }]),
  )
}
