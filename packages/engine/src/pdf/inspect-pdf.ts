import { stat } from 'node:fs/promises'
import { LiteParse } from '@llamaindex/liteparse'
import { plausiblePageCount } from './plausible-page-count.ts'
import { requirePdf, withPdfProblems } from './page/pdf-problem.ts'
import { PdfFile } from './pdf-file.ts'

/**
 * Returns the XMP packet of a PDF (title, author, keywords), or null. The library parses the complete file for it, as
 * long as two pages take. The check for a metadata stream avoids that cost.
 */
export async function xmpOf(file: PdfFile, password: string | null): Promise<string | null> {
  // A PDF never compresses the dictionary of a stream (PDF 1.7, 7.5.7).
  if (!file.bytes.includes('/Metadata')) return null
  const { docMeta } = await firstPage(file.path, {
    extractDocumentMetadata: true,
    ...(password === null ? {} : { password }),
  })
  return docMeta?.xmp ?? null
}

/**
 * Returns the number of pages, the unit that a conversion charges. Throws `ConversionError` if the file is not a PDF,
 * or is damaged or encrypted. Runs native code, so call it in a process that may crash or hang.
 */
export async function countPdfPages(path: string): Promise<number> {
  await requirePdf(path)
  const { totalPages } = await firstPage(path)
  const { size } = await stat(path)
  return plausiblePageCount(totalPages, size, () => PdfFile.read(path))
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
