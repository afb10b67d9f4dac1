import { LiteParse } from '@llamaindex/liteparse'
import { requirePdf, withPdfProblems } from './pdf-problem.ts'

export interface PdfFacts {
  readonly totalPages: number
  /** The XMP packet of the document (title, author, keywords), where it has one. */
  readonly xmp: string | null
}

/**
 * What a PDF says of itself, without reading more than its first page. Throws `ConversionError` for a file that is no
 * PDF, is damaged or encrypted. Runs native code: call it where a crash or a hang can be afforded.
 */
export async function inspectPdf(path: string): Promise<PdfFacts> {
  await requirePdf(path)
  const parser = new LiteParse({
    ocrEnabled: false,
    outputFormat: 'json',
    maxPages: 1,
    extractDocumentMetadata: true,
    continueOnPageError: true,
    quiet: true,
  })
  const { totalPages, docMeta } = await withPdfProblems(() => parser.parse(path))
  return { totalPages, xmp: docMeta?.xmp ?? null }
}

/** Pages of a PDF: what its conversion will be charged for. As `inspectPdf` in all else. */
export async function countPdfPages(path: string): Promise<number> {
  return (await inspectPdf(path)).totalPages
}
