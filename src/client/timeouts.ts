import { type Family, MAX_FILE_BYTES, MAX_TIMEOUT_MS, type ParseOptions } from '@sluice/contract'

/** Milliseconds that a page may take in each mode; OCR reads pictures, and `auto` may have to. */
const PER_PAGE_MS = { fast: 200, auto: 1_500, ocr: 3_000 } as const

/** What a request takes beside its pages, at the most. */
const OVERHEAD_MS = 30_000

/** Bytes that are surely converted in a second, of a document that is no PDF or whose pages could not be counted. */
const BYTES_PER_SECOND = 250_000

/** Slowest uplink that we wait for: 1 Mbit/s. */
const UPLOAD_BYTES_PER_SECOND = 125_000

/** For connecting, for the service's own overhead and for the answer to come down. */
const SLACK_MS = 15_000

export interface DocumentSize {
  readonly bytes: number
  readonly family: Family
  /** Null where it is not known. */
  readonly pages: number | null
}

/**
 * The `timeout` to ask the service for: what the options say, and more for a document that is large or has many pages, up
 * to what the contract allows. A timeout that is too long costs nothing; one that is too short is paid for with a 408.
 */
export function serverTimeoutMs(options: ParseOptions, { bytes, family, pages }: DocumentSize): number {
  const [pdf] = options.parsers
  const byBytes = (bytes / BYTES_PER_SECOND) * 1000
  const parsed = Math.min(pages ?? 0, pdf?.maxPages ?? Number.POSITIVE_INFINITY)
  const work = family === 'pdf' && pages !== null ? parsed * PER_PAGE_MS[pdf?.mode ?? 'fast'] : byBytes
  // Whole seconds: a document that needs less than one more is asked for with the time that its options say.
  return Math.min(options.timeout + Math.floor(work / 1000) * 1000, MAX_TIMEOUT_MS)
}

/** As `serverTimeoutMs`, of the embedded engine, which gets one try: enough for a scan whose pages take 5 kB each. */
export function localTimeoutMs(options: ParseOptions, size: DocumentSize): number {
  const bytesPerSecond = size.family === 'pdf' ? 5_000 : 25_000
  const byBytes = options.timeout + Math.floor(size.bytes / bytesPerSecond) * 1000
  return Math.min(Math.max(serverTimeoutMs(options, size), byBytes), MAX_TIMEOUT_MS)
}

/** Pages of a PDF that are expected to be parsed within the contract's longest `timeout`. */
export function mostPagesIn({ timeout, parsers: [pdf] }: ParseOptions): number {
  const overheadMs = Math.min(timeout, OVERHEAD_MS)
  return Math.floor((MAX_TIMEOUT_MS - overheadMs) / PER_PAGE_MS[pdf?.mode ?? 'fast'])
}

/** How long the client waits for the whole of a request: never less than the service was given, and never for ever. */
export function clientTimeoutMs(serverMs: number, bytes: number): number {
  return Math.ceil(serverMs + (bytes / UPLOAD_BYTES_PER_SECOND) * 1000 + SLACK_MS)
}

/** Longest that any request may be in flight, milliseconds: after it, the client no longer waits for the answer. */
export const LONGEST_REQUEST_MS = clientTimeoutMs(MAX_TIMEOUT_MS, MAX_FILE_BYTES)
