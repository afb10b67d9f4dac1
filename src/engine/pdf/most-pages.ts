import { pdfObjects } from './structure/pdf-objects.ts'

/** Fewer bytes for each page arouse suspicion: pages that a program wrote take hundreds, blank ones in object streams ten. */
const USUAL_PAGE_BYTES = 60
const LEAST_PAGE_BYTES = 10

/**
 * Pages of those that a PDF announces that it can hold, each being an object of its own. A page tree that leads in a circle,
 * names one page many times or counts wrongly announces a million in a few hundred bytes.
 */
export function mostPages(file: Buffer, announced: number): number {
  if (announced * USUAL_PAGE_BYTES <= file.length) return announced
  const held = pdfObjects(file)?.size ?? Math.ceil(file.length / LEAST_PAGE_BYTES)
  return Math.min(announced, Math.max(1, held))
}
