import type { BlockPage, ParsedPage } from '@sluice/contract'
import type { PageQuality } from './grade/signals.ts'
import type { Mark } from './anchors/marks.ts'

/** Reason why a conversion failed. The server maps each to the contract's error shape, in a single module. */
export type ConversionProblem =
  | 'unsupported'
  | 'corrupt'
  | 'encrypted'
  | 'wrong_type'
  | 'resource_limit'
  | 'crash'
  | 'ocr_required'

/** Thrown by a converter for an input that it cannot convert. Any other exception is a bug. */
export class ConversionError extends Error {
  override name = 'ConversionError' as const
  readonly problem: ConversionProblem

  constructor(problem: ConversionProblem, message: string, options?: ErrorOptions) {
    super(message, options)
    this.problem = problem
  }
}

/** Result of every converter. The server adds the fields of the request and of the response shape. */
export interface Conversion {
  readonly markdown: string
  /** Clean HTML of the document, if the format has one. Null: the server renders it from the Markdown. */
  readonly html: string | null
  /** PDFs and images only. */
  readonly pages: readonly ParsedPage[] | null
  /** PDFs and images only. `markdownSpan`s are UTF-16 offsets into `markdown`, and slice it to exactly `content`. */
  readonly blocks: readonly BlockPage[] | null
  readonly links: readonly string[]
  readonly images: readonly string[]
  /**
   * Title, description, keywords, language, numPages, totalPages, og…, with the names of the contract's metadata table.
   */
  readonly metadata: Readonly<Record<string, string | readonly string[] | number | null>>
  /** Sentences for `data.warning`, or null. */
  readonly warning: string | null
  /** PDFs and images only: quality of each page, in page order. */
  readonly quality?: readonly PageQuality[]
  /** PDFs and images only: codes of missing OCR languages that can be fetched (`LanguageStore`). */
  readonly lackingLanguages?: readonly string[]
  /** Offsets of slides, sheets and chapters, if the request asked for anchors. Absent for a document of sections. */
  readonly marks?: readonly Mark[]
}
