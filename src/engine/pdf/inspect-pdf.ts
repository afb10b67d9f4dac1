import { LiteParse } from '@llamaindex/liteparse'
import { ConversionError } from '../conversion.ts'
import { requirePdf, withPdfProblems } from './pdf-problem.ts'

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
  let locked: unknown
  for (const password of [null, ...passwords]) {
    try {
      return await inspected(path, password)
    } catch (error) {
      if (!(error instanceof ConversionError) || error.problem !== 'encrypted') throw error
      locked ??= error
    }
  }
  throw locked
}

async function inspected(path: string, password: string | null): Promise<PdfFacts> {
  const parser = new LiteParse({
    ocrEnabled: false,
    outputFormat: 'json',
    maxPages: 1,
    extractDocumentMetadata: true,
    continueOnPageError: true,
    quiet: true,
    ...(password === null ? {} : { password }),
  })
  const { totalPages, docMeta } = await withPdfProblems(() => parser.parse(path))
  return { totalPages, xmp: docMeta?.xmp ?? null, password }
}

/** Pages of a PDF: what its conversion will be charged for. As `inspectPdf` in all else. */
export async function countPdfPages(path: string): Promise<number> {
  return (await inspectPdf(path)).totalPages
}
