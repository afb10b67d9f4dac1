import type { PdfParserOptions } from '@sluice/contract'
import { type Conversion, ConversionError } from '../conversion.ts'
import { assemble, blockPages, parsedPages } from './assemble.ts'
import { withDoubt, withExpectedDoubt } from './doubtful.ts'
import { finished, type PageDraft } from './draft.ts'
import type { PageFragments } from './fragment.ts'
import { infoDictionary } from './info-dictionary.ts'
import { xmpOf } from './inspect-pdf.ts'
import { layoutQuality } from './layout-quality.ts'
import { plausiblePageCount } from './plausible-page-count.ts'
import { previewPages } from './preview-pages.ts'
import { hasLostContent } from './lost-content.ts'
import { CpuBudget } from './ocr/lines/cpu-budget.ts'
import { OcrLanguages, type OcrLanguagesOptions } from './ocr/ocr-languages.ts'
import { pageDrafts } from './page-drafts.ts'
import type { PageReading } from './page-reading.ts'
import { warningOf } from './page-warnings.ts'
import { PdfFile } from './pdf-file.ts'
import { pdfMetadata } from './pdf-metadata.ts'
import { type PdfPictures, pdfPictures } from './pdf-pictures.ts'
import { withMeaninglessText } from './meaningless-text.ts'
import { readPage, type ReadPageContext } from './read-page.ts'
import { openPdf, type PdfFacts } from './read-pages.ts'
import { outlineOf } from './structure/outline.ts'
import type { ReadPage } from './page/text-layer.ts'
import { joinSplitParagraphs } from './split-paragraphs.ts'
import { wordsOfText } from '../model/words-of-text.ts'

export interface PdfInput {
  readonly path: string
  /** Writable cache folder. The parser unpacks the OCR data into it once. */
  readonly cacheFolder: string
  /** Leaves running headers, footers and page numbers out of the Markdown (contract, `onlyMainContent`). */
  readonly onlyMainContent: boolean
  /** Default: the installed data, which is English. */
  readonly ocr?: Pick<OcrLanguagesOptions, 'fetched' | 'allowed'>
  /** Passwords to try in order on an encrypted PDF. Default: none. */
  readonly passwords?: readonly string[]
  /**
   * CPU budget for OCR of all pages, in milliseconds. The parser reports later pages as not read. Default: 10 minutes.
   */
  readonly ocrBudgetMs?: number
  /** Returns the CPU time used so far, in milliseconds. Default: the time of this process. */
  readonly cpuMs?: () => number
}

const DEFAULT_OCR_BUDGET_MS = 600_000

/**
 * Converts a PDF to Markdown, pages and layout blocks. Throws `ConversionError`: `wrong_type`, `corrupt`, `encrypted`,
 * `resource_limit` if the library draws no page and none has text, `ocr_required` for a scan in mode `fast`. Checks
 * `signal` between pages. Native code cannot be interrupted, so run this in a process that can be killed.
 */
export async function convertPdf(
  input: PdfInput,
  options: PdfParserOptions,
  signal?: AbortSignal,
): Promise<Conversion> {
  await using source = await openPdf(input.path, { passwords: input.passwords, maxPages: options.maxPages })
  const file = await PdfFile.read(input.path)
  const readable = await plausiblePageCount(source.totalPages, file.bytes.length, () => file)
  const limit = Math.min(options.maxPages ?? readable, readable)
  const pictures = pdfPictures(file, source)
  const outline = file.mayHaveOutline && file.objects !== null ? outlineOf(file.objects) : []
  const { cacheFolder, ocr = { fetched: null, allowed: null } } = input
  const languages = new OcrLanguages({ cacheFolder, ...ocr })
  const context: ReadPageContext = {
    pdf: pictures.pdf,
    mode: options.mode,
    languages,
    budget: new CpuBudget(input.ocrBudgetMs ?? DEFAULT_OCR_BUDGET_MS, input.cpuMs),
  }
  const drafts: PageDraft[] = []
  let vocabulary: ReadonlySet<string> = new Set()
  for await (const batch of source.batches(limit)) {
    const read = await readBatch(batch, { pictures, fonts: file.unmappedFonts }, context, signal)
    const batchDrafts = pageDrafts(read, { onlyMainContent: input.onlyMainContent, vocabulary, outline })
    drafts.push(...batchDrafts.pages)
    vocabulary = batchDrafts.vocabulary
  }
  const read = withLostContent(drafts, file.bytes)
  const metadata = await metadataOf(file, source, limit)
  const pages = joinSplitParagraphs(finished(read, typeof metadata.title === 'string' ? metadata.title : ''), {
    acrossPages: !options.pageMarkers,
    vocabulary,
  })
  refuseWithoutText(pages)
  return { ...conversion(pages, options, metadata), lackingLanguages: languages.lacking }
}

/**
 * Marks pages as not read if a document without any text or ink has content streams that show text. A blank page of
 * such a document is not `ok`.
 */
function withLostContent(drafts: readonly PageDraft[], file: Buffer): readonly PageDraft[] {
  const isEmpty = ({ drafts: blocks, problems, signals }: PageDraft): boolean =>
    blocks.length === 0 && problems.length === 0 && (signals.unreadLetters ?? 0) === 0
  if (!drafts.every(isEmpty) || !hasLostContent(file)) return drafts
  return drafts.map((draft) => ({ ...draft, problems: ['unreadable'] }))
}

async function readBatch(
  batch: readonly ReadPage[],
  { pictures, fonts }: { readonly pictures: PdfPictures; readonly fonts: ReadonlySet<string> },
  context: ReadPageContext,
  signal: AbortSignal | undefined,
): Promise<PageReading[]> {
  const previews = context.mode === 'ocr' ? new Map() : await previewPages(batch, pictures)
  const read: PageReading[] = []
  for (const entry of batch) {
    signal?.throwIfAborted()
    const page = await readPage(entry, previews.get(entry.pageNumber) ?? 'not-needed', context)
    read.push(withDoubt(withUnreadAnnotations(withMeaninglessText(page, fonts))))
  }
  return read
}

async function metadataOf(
  file: PdfFile,
  { password, totalPages }: PdfFacts,
  numPages: number,
): Promise<Conversion['metadata']> {
  return { ...infoDictionary(file.bytes), ...pdfMetadata(await xmpOf(file, password)), numPages, totalPages }
}

/** Refuses a document without any text if another mode or a smaller page would yield some. */
function refuseWithoutText(pages: readonly PageFragments[]): void {
  if (hasText(pages)) return
  if (pages.some(({ problems }) => problems.includes('needs_ocr'))) {
    throw new ConversionError('ocr_required', 'The PDF is a scan without text: mode fast reads text only; use auto.')
  }
  if (pages.some(({ problems }) => problems.includes('too_large'))) {
    throw new ConversionError('resource_limit', 'The PDF has no text, and its pages are too large to render for OCR.')
  }
}

function hasText(pages: readonly PageFragments[]): boolean {
  return pages.some((page) => page.fragments.some((fragment) => fragment.markdown !== ''))
}

function conversion(
  pages: readonly PageFragments[],
  options: PdfParserOptions,
  metadata: Conversion['metadata'],
): Conversion {
  const judged = pages.map((page) => ({ ...page, layout: layoutQuality(page.fragments) }))
  const reported = judged.map((page) => ({ ...page, problems: withExpectedDoubt(page) }))
  const assembly = assemble(reported, options)
  return {
    markdown: assembly.markdown,
    html: null,
    pages: options.pages ? parsedPages(pages) : null,
    blocks: options.blocks ? blockPages(reported, assembly) : null,
    links: [...new Set(pages.flatMap((page) => page.links))],
    images: [],
    metadata,
    warning: warningOf(reported),
    quality: judged.map(({ pageNumber, problems, signals, layout }) => ({ pageNumber, problems, signals, layout })),
  }
}

/** Threshold in letters, the same as for unread ink. Fewer letters are a mark. */
const MIN_LETTERS = 8

/**
 * Adds a problem to a page if an annotation holds text that is missing from its words. The library parses no annotation
 * text, and renders none that a viewer must lay out.
 */
function withUnreadAnnotations(reading: PageReading): PageReading {
  const { page, problems } = reading
  const texts = (page?.annotations ?? []).flatMap(({ subtype, contents }) =>
    subtype === 'freetext' ? [contents ?? ''] : [],
  )
  if (page === null || texts.length === 0 || problems.includes('unread_ink')) return reading
  const read = new Set(page.textItems.flatMap(({ text }) => wordsOfText(text)))
  const missing = wordsOfText(texts.join(' ')).filter((word) => !read.has(word))
  return missing.join('').length < MIN_LETTERS ? reading : { ...reading, problems: [...problems, 'unread_ink'] }
}
