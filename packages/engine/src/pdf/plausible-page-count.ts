import type { PdfFile } from './pdf-file.ts'

/**
 * Threshold in bytes per page. A smaller average makes the page count doubtful. Pages that a program wrote take
 * hundreds of bytes, blank ones in object streams ten.
 */
const USUAL_PAGE_BYTES = 60
const MIN_PAGE_BYTES = 10

/**
 * Returns the number of announced pages that a PDF of this size can hold. Each page is a separate object. A page tree
 * with a cycle, repeated pages or a false count announces a million pages in a few hundred bytes. The function reads
 * the file only if the count is doubtful.
 */
export async function plausiblePageCount(
  announced: number,
  bytes: number,
  read: () => PdfFile | Promise<PdfFile>,
): Promise<number> {
  if (announced * USUAL_PAGE_BYTES <= bytes) return announced
  const { objects } = await read()
  return Math.min(announced, Math.max(1, objects?.size ?? Math.ceil(bytes / MIN_PAGE_BYTES)))
}
