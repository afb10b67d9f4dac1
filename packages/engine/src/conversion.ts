import type { BlockPage, ParsedPage } from '@sluice/contract'
import type { PageQuality } from './grade/signals.ts'
import type { Mark } from './anchors/marks.ts'

/** Why a document could not be converted. The server turns each into the contract's error shape, in one place. */
export type ConversionProblem =
  | 'unsupported'
  | 'corrupt'
  | 'encrypted'
  | 'wrong_type'
  | 'resource_limit'
  | 'crash'
  | 'ocr_required'

/** Thrown by a converter for an input that it cannot turn into text; anything else that it throws is a bug. */
export class ConversionError extends Error {
  override name = 'ConversionError' as const
  readonly problem: ConversionProblem

  constructor(problem: ConversionProblem, message: string, options?: ErrorOptions) {
    super(message, options)
    this.problem = problem
  }
}

/** What every converter makes of a document; the server adds what the request and the response shape need. */
export interface Conversion {
  readonly markdown: string
  /** Clean HTML of the document, where the format has one; null: the server renders it from the Markdown. */
  readonly html: string | null
  /** PDF only. */
  readonly pages: readonly ParsedPage[] | null
  /** PDF only; `markdownSpan`s are UTF-16 offsets into `markdown`, and slice it to `content` exactly. */
  readonly blocks: readonly BlockPage[] | null
  readonly links: readonly string[]
  readonly images: readonly string[]
  /** Title, description, keywords, language, numPages, totalPages, og… as the contract's metadata table names them. */
  readonly metadata: Readonly<Record<string, string | readonly string[] | number | null>>
  /** Sentences for `data.warning`, or null. */
  readonly warning: string | null
  /** PDF only: how each page was read, in page order. */
  readonly quality?: readonly PageQuality[]
  /** PDF only: codes of OCR languages that pages needed, and that could be fetched (`LanguageStore`). */
  readonly lackingLanguages?: readonly string[]
  /** Where slides, sheets and chapters begin, where the request asked for anchors; absent for a document of sections. */
  readonly marks?: readonly Mark[]
}
