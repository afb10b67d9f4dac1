import type { PdfToDraw } from './ink/draw-pages.ts'
import { pagesWithPictures } from './ink/pages-with-pictures.ts'
import { withoutPictures } from './ink/without-pictures.ts'
import type { PdfFacts } from './read-pages.ts'
import type { PdfFile } from './pdf-file.ts'

/** A PDF for the renderer, with and without its pictures. */
export interface PdfPictures {
  readonly pdf: PdfToDraw
  /** The same file without pictures. Null for a PDF that holds none. */
  readonly withoutPictures: PdfToDraw | null
  /** Pages that may show a picture. Null if unknown. */
  readonly pages: ReadonlySet<number> | null
}

export function pdfPictures(file: PdfFile, { password, totalPages }: PdfFacts): PdfPictures {
  const bare = withoutPictures(file.bytes)
  const pdf = { source: file.path, password }
  if (bare.pictures === 0) return { pdf, withoutPictures: null, pages: null }
  return { pdf, withoutPictures: { source: bare.file, password }, pages: pagesWithPictures(file.objects, totalPages) }
}

/** True if a page may show a picture. */
export function mayShowPicture({ withoutPictures: bare, pages }: PdfPictures, pageNumber: number): boolean {
  return bare !== null && (pages?.has(pageNumber) ?? true)
}
