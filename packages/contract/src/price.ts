import { type Extension, isPaged } from './formats.ts'
import type { ParseOptions } from './options.ts'

/** Prices of the service, in credits. The contract states none and they change, so they are settings. */
export interface PriceModel {
  /** Price of a document, and of the first page of a PDF. */
  readonly document: number
  /** Replaces `document` if the request asks for the `json` format. */
  readonly documentWithJson: number
  /** Price of each further page of a PDF. */
  readonly furtherPage: number
  /** Surcharge for `redactPII`, and again for each further page. */
  readonly redaction: number
  readonly redactedFurtherPage: number
  /** Surcharge for `zeroDataRetention`, once a document. */
  readonly zeroDataRetention: number
}

/** Prices of the hosted service, from its clients and its billing. */
export const DEFAULT_PRICES: PriceModel = {
  document: 1,
  documentWithJson: 5,
  furtherPage: 1,
  redaction: 4,
  redactedFurtherPage: 4,
  zeroDataRetention: 1,
}

/** The embedded engine costs nothing. */
export const FREE: PriceModel = {
  document: 0,
  documentWithJson: 0,
  furtherPage: 0,
  redaction: 0,
  redactedFurtherPage: 0,
  zeroDataRetention: 0,
}

/**
 * Credits for one document. `pages` is the length of a PDF before `maxPages`, or of an image of several pages that a
 * service may get as a PDF (`tif`). Null means not counted: the result is
 * then the lower bound. Modes, `pages`, `blocks` and `pageMarkers` are free (contract, "PDF parser").
 */
export function creditsFor(
  options: ParseOptions,
  extension: Extension,
  pages: number | null,
  prices: PriceModel,
): number {
  const wantsJson = options.formats.some(({ type }) => type === 'json')
  const redacts = options.redactPII !== false
  const further = isPaged(extension) ? Math.max(Math.min(pages ?? 1, pagesAllowed(options)) - 1, 0) : 0
  return (
    (wantsJson ? prices.documentWithJson : prices.document) +
    further * prices.furtherPage +
    (redacts ? prices.redaction + further * prices.redactedFurtherPage : 0) +
    (options.zeroDataRetention ? prices.zeroDataRetention : 0)
  )
}

/** Without a PDF parser the service returns the file unparsed and charges one page. */
function pagesAllowed(options: ParseOptions): number {
  const [pdf] = options.parsers
  return pdf === undefined ? 1 : (pdf.maxPages ?? Number.POSITIVE_INFINITY)
}
