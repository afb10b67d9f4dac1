import type { ParseOptions } from '#src/contract/options.ts'
import type { Extension } from '#src/document/formats.ts'

/** What the service charges, in credits (notes on the service's billing; settable, since prices change). */
export interface PriceModel {
  /** A document, and the first page of a PDF. */
  readonly document: number
  /** In place of `document` where the `json` format is asked for. */
  readonly documentWithJson: number
  /** Each page of a PDF after the first. */
  readonly furtherPage: number
  /** Added for `redactPII`, and again for each further page. */
  readonly redaction: number
  readonly redactedFurtherPage: number
}

export const DEFAULT_PRICES: PriceModel = {
  document: 1,
  documentWithJson: 5,
  furtherPage: 1,
  redaction: 4,
  redactedFurtherPage: 4,
}

/** The embedded engine costs nothing. */
export const FREE: PriceModel = {
  document: 0,
  documentWithJson: 0,
  furtherPage: 0,
  redaction: 0,
  redactedFurtherPage: 0,
}

/** Credits for one document. `pages` counts a PDF's pages before `maxPages`; null where they are not known. */
export function creditsFor(
  options: ParseOptions,
  extension: Extension,
  pages: number | null,
  prices: PriceModel,
): number {
  const wantsJson = options.formats.some((format) => format.type === 'json')
  const redacts = options.redactPII !== false
  const further = extension === 'pdf' ? Math.max(Math.min(pages ?? 1, maxPages(options)) - 1, 0) : 0
  return (
    (wantsJson ? prices.documentWithJson : prices.document) +
    further * prices.furtherPage +
    (redacts ? prices.redaction + further * prices.redactedFurtherPage : 0)
  )
}

/** Without a PDF parser the service hands the file back unparsed, for the price of one page. */
function maxPages(options: ParseOptions): number {
  const pdf = options.parsers.find((parser) => parser.type === 'pdf')
  return pdf === undefined ? 1 : (pdf.maxPages ?? Infinity)
}
