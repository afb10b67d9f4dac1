import type { DocumentRecord } from '#src/document/record.ts'

/** A figure of a page in `blocks.jsonl`. */
export interface Figure {
  readonly page: number
  /** [x0, y0, x1, y1], 0 to 1, on the page as the parser read it. */
  readonly bbox: readonly [number, number, number, number]
  /** Width to height of the page as the parser read it; null if unknown. */
  readonly aspect: number | null
  /** Its offset in `document.md`: in its text or caption, else in the text before it. */
  readonly at: number
}

/**
 * Reason for a figure without an image.
 *
 * - `no_page`: its document has no pages, or its block no box
 * - `source_unreadable`: the document is unreadable: its source is unavailable, locked, or neither a folder nor a
 *   bucket
 * - `source_changed`: the source now holds other bytes than were parsed
 * - `not_drawn`: the renderer cannot draw the page, or not within its timeout, its memory limit and the shape that the
 *   parser read
 */
export const NO_IMAGE = ['no_page', 'source_unreadable', 'source_changed', 'not_drawn'] as const
export type NoImage = (typeof NO_IMAGE)[number]

/** Renderer of figures from the original documents. */
export interface FigureImages {
  /** Resolution of the images in pixels per inch; lower for a page that is too large for it. */
  readonly dpi: number
  /** Maximum number of concurrent documents. */
  readonly parallel: number
  /**
   * Fetches a document and holds it until disposal. A failure is a returned value; problems of a document never throw.
   */
  open(record: DocumentRecord, signal: AbortSignal): Promise<FigureDocument | { readonly kind: NoImage }>
}

export interface FigureDocument extends AsyncDisposable {
  readonly kind: 'opened'
  /** A PNG per figure; null for one that cannot be drawn. */
  crop(figures: readonly Figure[]): Promise<readonly (Uint8Array | null)[]>
}

export interface FigureTally {
  images: number
  bytes: number
  /** Number of figures without an image, by reason. */
  readonly without: Record<NoImage, number>
}

export const emptyFigureTally = (): FigureTally => ({
  images: 0,
  bytes: 0,
  without: { no_page: 0, source_unreadable: 0, source_changed: 0, not_drawn: 0 },
})
