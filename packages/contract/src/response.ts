/**
 * `data` of a 200 answer of `POST /v2/parse` (contract, "Parse response"). Every field may be absent or null, and the
 * parser keeps unknown fields: a strict client would lose a document after its purchase.
 */
export interface ParsedData {
  readonly markdown?: string
  readonly pages?: readonly ParsedPage[] | null
  readonly blocks?: readonly BlockPage[] | null
  readonly summary?: string | null
  readonly html?: string | null
  readonly rawHtml?: string | null
  readonly links?: readonly string[] | null
  /** Undocumented field of the hosted service (docs/reference/contract.md, "Answer"). */
  readonly images?: readonly string[] | null
  /** Undocumented field of the hosted service (docs/reference/contract.md, "Answer"). */
  readonly json?: unknown
  /** Signed URLs that expire, from operations that parse does not request; a service may send them unasked. */
  readonly screenshot?: string | null
  readonly audio?: string | null
  readonly video?: string | null
  readonly actions?: {
    /** In the order of actions; they expire after 24 hours. */
    readonly screenshots?: readonly string[]
  } | null
  readonly warning?: string | null
  readonly metadata?: ParsedMetadata
  /** Extension of the embedded engine, sent on request only: see `extensionsOf`. */
  readonly sluice?: unknown
}

export interface ParsedPage {
  /** 1-based physical page. */
  readonly pageNumber: number
  readonly markdown: string
}

export interface BlockPage {
  readonly pageNumber: number
  /** Render size in pixels; null for a page that the service did not render. */
  readonly width: number | null
  readonly height: number | null
  /** `ok`, `partial`, `failed`, and other values of real services. */
  readonly status: string
  readonly items: readonly Block[]
}

export const BLOCK_TYPES = [
  'title',
  'section_header',
  'text',
  'table',
  'formula',
  'figure',
  'caption',
  'page_number',
  'page_header',
  'page_footer',
] as const
export type BlockType = (typeof BLOCK_TYPES)[number]

export interface Block {
  /** `p<page>.b<index in reading order>`. */
  readonly id: string
  /** A member of `BLOCK_TYPES`; services may add new ones. */
  readonly type: string
  readonly label: string | null
  /** [x0, y0, x1, y1], 0 to 1 of the page's width and height. */
  readonly bbox: readonly [number, number, number, number] | null
  readonly content: string
  /** [start, end) offsets into `markdown`, in UTF-16 units from our engine. */
  readonly markdownSpan: readonly [number, number] | null
  readonly readingOrder: number
  readonly source: string | null
  readonly confidence: { readonly layout: number | null; readonly ocr: number | null }
}

export interface ParsedMetadata {
  readonly title?: string | readonly string[]
  readonly description?: string | readonly string[]
  readonly keywords?: string | readonly string[]
  readonly language?: string | readonly string[] | null
  readonly ogLocaleAlternate?: readonly string[]
  readonly sourceURL?: string
  readonly url?: string
  readonly statusCode?: number
  readonly numPages?: number
  readonly totalPages?: number
  readonly contentType?: string
  readonly error?: string | null
  readonly concurrencyLimited?: boolean
  readonly concurrencyQueueDurationMs?: number
  /** Undocumented field of the hosted service. */
  readonly creditsUsed?: number
  readonly scrapeId?: string
  readonly [key: string]: unknown
}
