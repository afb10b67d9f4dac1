import { type Family, isPagedFamily, MAX_FILE_BYTES, MAX_TIMEOUT_MS, type ParseOptions } from '@sluice/contract'

/** Milliseconds per page in each mode; OCR reads pictures, and `auto` may have to. */
const PER_PAGE_MS = { fast: 200, auto: 1_500, ocr: 3_000 } as const

/** Upper bound of a request's time without its pages. */
const OVERHEAD_MS = 30_000

/** Safe conversion speed, in bytes per second, of a document without a page count or other than PDF. */
const BYTES_PER_SECOND = 250_000

/** Slowest uplink that the client waits for: 1 Mbit/s. */
const UPLOAD_BYTES_PER_SECOND = 125_000

/** Time for the connection, the service's own overhead and the download of the answer. */
const SLACK_MS = 15_000

export interface DocumentSize {
  readonly bytes: number
  readonly family: Family
  /** Null if unknown. */
  readonly pages: number | null
}

/**
 * The `timeout` of the request: the value of the options, plus time for a large document or many pages, up to the
 * maximum of the contract. A timeout that is too long costs nothing; a short one costs a 408.
 */
export function serverTimeoutMs(options: ParseOptions, { bytes, family, pages }: DocumentSize): number {
  const [pdf] = options.parsers
  const byBytes = (bytes / BYTES_PER_SECOND) * 1000
  const parsed = Math.min(pages ?? 0, pdf?.maxPages ?? Number.POSITIVE_INFINITY)
  const work = family === 'pdf' && pages !== null ? parsed * PER_PAGE_MS[pdf?.mode ?? 'fast'] : byBytes
  // Whole seconds: a document that needs less than a second more keeps the timeout of its options.
  return Math.min(options.timeout + Math.floor(work / 1000) * 1000, MAX_TIMEOUT_MS)
}

/** Like `serverTimeoutMs`, for the embedded engine, which gets one attempt: long enough for a scan of 5 kB per page. */
export function localTimeoutMs(options: ParseOptions, size: DocumentSize): number {
  const bytesPerSecond = isPagedFamily(size.family) ? 5_000 : 25_000
  const byBytes = options.timeout + Math.floor(size.bytes / bytesPerSecond) * 1000
  return Math.min(Math.max(serverTimeoutMs(options, size), byBytes), MAX_TIMEOUT_MS)
}

/** Number of PDF pages that should parse within the contract's longest `timeout`. */
export function mostPagesIn({ timeout, parsers: [pdf] }: ParseOptions): number {
  const overheadMs = Math.min(timeout, OVERHEAD_MS)
  return Math.floor((MAX_TIMEOUT_MS - overheadMs) / PER_PAGE_MS[pdf?.mode ?? 'fast'])
}

/** The client's timeout for a complete request: never shorter than the service's own, and always finite. */
export function clientTimeoutMs(serverMs: number, bytes: number): number {
  return Math.ceil(serverMs + (bytes / UPLOAD_BYTES_PER_SECOND) * 1000 + SLACK_MS)
}

/** Upper bound of a request's time in flight, in milliseconds: after it, the client stops waiting for the answer. */
export const MAX_REQUEST_MS = clientTimeoutMs(MAX_TIMEOUT_MS, MAX_FILE_BYTES)
