import type { PdfParserOptions } from '#src/contract/options.ts'
import { type Conversion, ConversionError } from '../conversion.ts'
import { assemble, blockPages, parsedPages } from './assemble.ts'
import type { PageFragments } from './fragment.ts'
import { infoDictionary } from './info-dictionary.ts'
import { inspectPdf } from './inspect-pdf.ts'
import { finished, type PageDraft } from './draft.ts'
import { pageDrafts } from './page-drafts.ts'
import { pdfMetadata } from './pdf-metadata.ts'
import { readPages, type ReadPage } from './read-pages.ts'
import { withRunOns } from './run-on.ts'
import { recognisePage } from './recognise-page.ts'
import { FEW_LETTERS, lettersOf, looksScanned } from './scan.ts'
import { tessdataFolder } from './tessdata.ts'

export interface PdfInput {
  readonly path: string
  /** A folder that may be written: the OCR data is unpacked into it once. */
  readonly cacheFolder: string
  /** Leave running headers, footers and page numbers out of the Markdown (contract, `onlyMainContent`). */
  readonly onlyMainContent: boolean
}

/** OCR must score this much to be believed over a text layer that looks garbled. */
const BETTER_THAN_GARBLED = 0.75

/**
 * Converts a PDF to Markdown, pages and layout blocks. Throws `ConversionError`: `wrong_type`, `corrupt`, `encrypted`,
 * and `ocr_required` for a scan in mode `fast`. `signal` is looked at between pages; the native code in between cannot
 * be interrupted, so run this in a process that can be killed.
 */
export async function convertPdf(
  input: PdfInput,
  options: PdfParserOptions,
  signal?: AbortSignal,
): Promise<Conversion> {
  const facts = await inspectPdf(input.path)
  const limit = Math.min(options.maxPages ?? facts.totalPages, facts.totalPages)
  const drafts: PageDraft[] = []
  let vocabulary: ReadonlySet<string> = new Set()
  let scans = 0
  for await (const batch of readPages(input.path, limit)) {
    const read: ReadPage[] = []
    for (const entry of batch) {
      signal?.throwIfAborted()
      if (entry.page !== null && looksScanned(entry.page)) scans += 1
      read.push(options.mode === 'fast' ? entry : await recognised(entry, input, options))
    }
    const batchDrafts = pageDrafts(read, { onlyMainContent: input.onlyMainContent, vocabulary })
    drafts.push(...batchDrafts.pages)
    vocabulary = batchDrafts.vocabulary
  }
  const pages = withRunOns(finished(drafts), { acrossPages: !options.pageMarkers, vocabulary })
  if (options.mode === 'fast' && scans > 0 && !hasText(pages)) {
    throw new ConversionError('ocr_required', 'The PDF is a scan without text: mode fast reads text only; use auto.')
  }
  const metadata = { ...(await infoDictionary(input.path)), ...pdfMetadata(facts.xmp) }
  return conversion(pages, options, { ...metadata, numPages: limit, totalPages: facts.totalPages })
}

/** The page with recognised text where the mode asks for it; letters without meaning stay where OCR does no better. */
async function recognised(read: ReadPage, input: PdfInput, options: PdfParserOptions): Promise<ReadPage> {
  const { page } = read
  if (page === null || (options.mode === 'auto' && !looksScanned(page))) return read
  const tessdataPath = await tessdataFolder(input.cacheFolder)
  const least = options.mode === 'auto' && lettersOf(page) >= FEW_LETTERS ? BETTER_THAN_GARBLED : 0
  return { ...read, page: (await recognisePage(input.path, page, { tessdataPath, least })) ?? page }
}

function hasText(pages: readonly PageFragments[]): boolean {
  return pages.some((page) => page.fragments.some((fragment) => fragment.markdown !== ''))
}

function conversion(
  pages: readonly PageFragments[],
  options: PdfParserOptions,
  metadata: Conversion['metadata'],
): Conversion {
  const assembly = assemble(pages, options)
  const failed = pages.filter((page) => page.status === 'failed').map((page) => page.pageNumber)
  return {
    markdown: assembly.markdown,
    html: null,
    pages: options.pages ? parsedPages(pages) : null,
    blocks: options.blocks ? blockPages(pages, assembly) : null,
    links: [...new Set(pages.flatMap((page) => page.links))],
    images: [],
    metadata,
    warning: failed.length === 0 ? null : `These pages could not be read: ${failed.join(', ')}.`,
  }
}
