import { stat } from 'node:fs/promises'
import { LiteParse } from '@llamaindex/liteparse'
import { mostPages } from './most-pages.ts'
import { requirePdf, withPdfProblems } from './page/pdf-problem.ts'
import { PdfFile } from './pdf-file.ts'

/**
 * The XMP packet of a PDF (title, author, keywords); null where it has none. The library examines the whole file for it,
 * which takes as long as two pages, so a file that holds no metadata stream is not asked.
 */
export async function xmpOf(file: PdfFile, password: string | null): Promise<string | null> {
  // The dictionary of a stream is never compressed (PDF 1.7, 7.5.7).
  if (!file.bytes.includes('/Metadata')) return null
  const { docMeta } = await firstPage(file.path, {
    extractDocumentMetadata: true,
    ...(password === null ? {} : { password }),
  })
  return docMeta?.xmp ?? null
}

/**
 * Pages of a PDF: what its conversion will be charged for. Throws `ConversionError` for a file that is no PDF, is damaged or
 * encrypted. Runs native code: call it where a crash or a hang can be afforded.
 */
export async function countPdfPages(path: string): Promise<number> {
  await requirePdf(path)
  const { totalPages } = await firstPage(path)
  const { size } = await stat(path)
  return mostPages(totalPages, size, () => PdfFile.read(path))
}

const firstPage = (
  path: string,
  options: { readonly extractDocumentMetadata?: true; readonly password?: string } = {},
) =>
  withPdfProblems(() =>
    new LiteParse({
      ocrEnabled: false,
      outputFormat: 'json',
      maxPages: 1,
      continueOnPageError: true,
      quiet: true,
      ...options,
    }).parse(path),
  )
