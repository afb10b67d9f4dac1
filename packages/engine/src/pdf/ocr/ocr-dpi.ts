import { POINTS_PER_INCH } from '../ink/grey-picture.ts'

/** Enough for body text of 8 points; finer pictures cost time and recognise no more. */
const OCR_DPI = 200
/** Coarser pictures cannot be read. */
const LEAST_DPI = 60
/** Largest drawing: 24 million pixels are 96 MB in the library. An A0 sheet has that at 115 dpi. */
const MOST_PIXELS = 24e6

/** Resolution to read a page at, sides in points; null for one that is too large to draw. */
export function ocrDpi({ width, height }: { readonly width: number; readonly height: number }): number | null {
  const dpi = drawableDpi({ width, height }, OCR_DPI)
  return dpi < LEAST_DPI ? null : dpi
}

/** `dpi`, or what a drawing of that page may have at most. */
export function drawableDpi(
  { width, height }: { readonly width: number; readonly height: number },
  dpi: number,
): number {
  const most = Math.floor(POINTS_PER_INCH * Math.sqrt(MOST_PIXELS / Math.max(1, width * height)))
  return Math.min(dpi, most)
}
