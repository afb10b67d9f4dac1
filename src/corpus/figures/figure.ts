import type { DocumentRecord } from '#src/document/record.ts'

/** A figure of a page, as `blocks.jsonl` has it. */
export interface Figure {
  readonly page: number
  /** [x0, y0, x1, y1], 0 to 1, on the page as the parser read it. */
  readonly bbox: readonly [number, number, number, number]
  /** Width by height of the page as the parser read it; null where it did not say. */
  readonly aspect: number | null
  /** Offset of `document.md` at which it belongs: in its text or caption, else in the text before it. */
  readonly at: number
}

/**
 * Why a figure has no image.
 *
 * - `no_page`: its document has no pages, or its block no box
 * - `source_unreadable`: the document cannot be read: its source is away, locked, or neither a folder nor a bucket
 * - `source_changed`: the source holds other bytes now than were parsed
 * - `not_drawn`: the page cannot be drawn, not in time, not in memory, or not in the shape in which the parser read it
 */
export const NO_IMAGE = ['no_page', 'source_unreadable', 'source_changed', 'not_drawn'] as const
export type NoImage = (typeof NO_IMAGE)[number]

/** Draws figures from the original documents. */
export interface FigureImages {
  /** Resolution of the images in pixels per inch; less for a page that is too large for it. */
  readonly dpi: number
  /** Documents that it draws at the same time. */
  readonly parallel: number
  /** Fetches a document and holds it until disposal. A reason is a value; nothing about a document is thrown. */
  open(record: DocumentRecord, signal: AbortSignal): Promise<FigureDocument | { readonly kind: NoImage }>
}

export interface FigureDocument extends AsyncDisposable {
  readonly kind: 'opened'
  /** A PNG for each figure; null for one that cannot be drawn. */
  crop(figures: readonly Figure[]): Promise<readonly (Uint8Array | null)[]>
}

export interface FigureTally {
  images: number
  bytes: number
  /** Figures without an image, by reason. */
  readonly without: Record<NoImage, number>
}

export const emptyFigureTally = (): FigureTally => ({
  images: 0,
  bytes: 0,
  without: { no_page: 0, source_unreadable: 0, source_changed: 0, not_drawn: 0 },
})
