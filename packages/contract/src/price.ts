import type { Extension } from './formats.ts'
import type { ParseOptions } from './options.ts'

/** What the service charges, in credits. Prices are not in the contract and change: they can be set. */
export interface PriceModel {
  /** A document, and the first page of a PDF. */
  readonly document: number
  /** Instead of `document` where the `json` format is asked for. */
  readonly documentWithJson: number
  /** Each page of a PDF after the first. */
  readonly furtherPage: number
  /** Added for `redactPII`, and again for each further page. */
  readonly redaction: number
  readonly redactedFurtherPage: number
  /** Added once for `zeroDataRetention`. */
  readonly zeroDataRetention: number
}

/** The hosted service's prices as its clients and its billing show them (notes, "Credits"). */
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
 * Credits for one document. `pages` is what a PDF has, before `maxPages`; null where they were not counted: then the
 * result is the least that it can cost. Modes, `pages`, `blocks` and `pageMarkers` are free (contract, "PDF parser").
 */
export function creditsFor(
  options: ParseOptions,
  extension: Extension,
  pages: number | null,
  prices: PriceModel,
): number {
  const wantsJson = options.formats.some(({ type }) => type === 'json')
  const redacts = options.redactPII !== false
  const further = extension === 'pdf' ? Math.max(Math.min(pages ?? 1, pagesAllowed(options)) - 1, 0) : 0
  return (
    (wantsJson ? prices.documentWithJson : prices.document) +
    further * prices.furtherPage +
    (redacts ? prices.redaction + further * prices.redactedFurtherPage : 0) +
    (options.zeroDataRetention ? prices.zeroDataRetention : 0)
  )
}

/** Without a PDF parser the service hands the file back unparsed, for the price of one page. */
function pagesAllowed(options: ParseOptions): number {
  const [pdf] = options.parsers
  return pdf === undefined ? 1 : (pdf.maxPages ?? Number.POSITIVE_INFINITY)
}
