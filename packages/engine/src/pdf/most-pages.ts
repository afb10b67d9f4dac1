import type { PdfFile } from './pdf-file.ts'

/** Fewer bytes for each page arouse suspicion: pages that a program wrote take hundreds, blank ones in object streams ten. */
const USUAL_PAGE_BYTES = 60
const LEAST_PAGE_BYTES = 10

/**
 * Pages of those that a PDF of so many bytes announces that it can hold, each being an object of its own. A page tree that
 * leads in a circle, names one page many times or counts wrongly announces a million in a few hundred bytes. Only then the file
 * is read.
 */
export async function mostPages(
  announced: number,
  bytes: number,
  read: () => PdfFile | Promise<PdfFile>,
): Promise<number> {
  if (announced * USUAL_PAGE_BYTES <= bytes) return announced
  const { objects } = await read()
  return Math.min(announced, Math.max(1, objects?.size ?? Math.ceil(bytes / LEAST_PAGE_BYTES)))
}
