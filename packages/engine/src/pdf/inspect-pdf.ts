import { readFile, stat } from 'node:fs/promises'
import { LiteParse } from '@llamaindex/liteparse'
import { ConversionError } from '../conversion.ts'
import { mostPages } from './most-pages.ts'
import { PdfFile } from './pdf-file.ts'
import { requirePdf, withPdfProblems } from './page/pdf-problem.ts'

export interface PdfFacts {
  readonly totalPages: number
  /** The XMP packet of the document (title, author, keywords), where it has one. */
  readonly xmp: string | null
  /** The password that opens it; null for a PDF that needs none. */
  readonly password: string | null
}

/**
 * What a PDF says of itself, without reading more than its first page; an encrypted one is tried with each password.
 * Throws `ConversionError` for a file that is no PDF, is damaged or stays encrypted. Runs native code: call it where a
 * crash or a hang can be afforded.
 */
export async function inspectPdf(path: string, passwords: readonly string[] = []): Promise<PdfFacts> {
  await requirePdf(path)
  // The dictionary of a stream is never compressed (PDF 1.7, 7.5.7).
  return opened(path, passwords, (await readFile(path)).includes('/Metadata'))
}

/** `wantsXmp` takes as long as two pages: the library examines the whole file for it. */
async function opened(path: string, passwords: readonly string[], wantsXmp: boolean): Promise<PdfFacts> {
  let locked: unknown
  for (const password of [null, ...passwords]) {
    try {
      return await inspected(path, password, wantsXmp)
    } catch (error) {
      if (!(error instanceof ConversionError) || error.problem !== 'encrypted') throw error
      locked ??= error
    }
  }
  throw locked
}

async function inspected(path: string, password: string | null, wantsXmp: boolean): Promise<PdfFacts> {
  const parser = new LiteParse({
    ocrEnabled: false,
    outputFormat: 'json',
    maxPages: 1,
    extractDocumentMetadata: wantsXmp,
    continueOnPageError: true,
    quiet: true,
    ...(password === null ? {} : { password }),
  })
  const { totalPages, docMeta } = await withPdfProblems(() => parser.parse(path))
  return { totalPages, xmp: docMeta?.xmp ?? null, password }
}

/** Pages of a PDF: what its conversion will be charged for. As `inspectPdf` in all else. */
export async function countPdfPages(path: string): Promise<number> {
  await requirePdf(path)
  const { totalPages } = await opened(path, [], false)
  const { size } = await stat(path)
  return mostPages(totalPages, size, () => PdfFile.read(path))
}
