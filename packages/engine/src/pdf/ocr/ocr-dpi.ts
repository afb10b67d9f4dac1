import { POINTS_PER_INCH } from '../ink/grey-picture.ts'

/** Resolution for body text of 8 points. Finer pictures cost time without better results. */
const OCR_DPI = 200
/** Threshold: minimum readable resolution. */
const MIN_DPI = 60
/** Maximum number of pixels. 24 million take 96 MB in the library, an A0 sheet at 115 dpi. */
const MAX_PIXELS = 24e6

/** Returns the resolution for OCR of a page with sides in points. Null if the page is too large to draw. */
export function ocrDpi({ width, height }: { readonly width: number; readonly height: number }): number | null {
  const dpi = drawableDpi({ width, height }, OCR_DPI)
  return dpi < MIN_DPI ? null : dpi
}

/** Returns `dpi`, or the maximum for a drawing of that page. */
export function drawableDpi(
  { width, height }: { readonly width: number; readonly height: number },
  dpi: number,
): number {
  const most = Math.floor(POINTS_PER_INCH * Math.sqrt(MAX_PIXELS / Math.max(1, width * height)))
  return Math.min(dpi, most)
}
