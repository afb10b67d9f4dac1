import type { Failure } from '#src/document/failure.ts'
import type { ContentHash } from '#src/document/ids.ts'

export interface CutRequest {
  /** Streams the document; a chunk is valid until the caller asks for the next one. */
  read(signal: AbortSignal): AsyncIterable<Uint8Array>
  /** Last page to cut; null for all. The cutter ignores later pages, however large they are. */
  readonly upToPage: number | null
  /** Maximum number of pages of a piece; absent or null means as many as the byte limit allows. */
  readonly mostPages?: number | null
  /** Existing pages of each piece, ascending; absent means the complete document. */
  readonly lists?: readonly (readonly number[])[]
}

/** Pages of a PDF as a separate PDF, no larger than the limit. */
export interface Piece {
  /** Both counted from 1 in the original document, inclusive. */
  readonly firstPage: number
  readonly lastPage: number
  /** All its pages, in order. */
  readonly pages: readonly number[]
  readonly contentHash: ContentHash
  readonly bytes: number
  /** Starts at the first byte at each call. A chunk is valid until the caller asks for the next one. */
  read(signal: AbortSignal): AsyncIterable<Uint8Array>
}

/** The pieces of a document, held open until disposal. */
export interface CutDocument extends AsyncDisposable {
  readonly kind: 'cut'
  /** Number of pages of the original document. */
  readonly totalPages: number
  /**
   * Pieces of a complete document from page 1 on, in order and without a gap. A list over the limit becomes several
   * pieces.
   */
  readonly pieces: readonly Piece[]
  /** For lists: single pages over the limit. */
  readonly failed?: readonly { readonly page: number; readonly failure: Failure }[]
}

/** Cuts a PDF by its pages if it is too large for the service. */
export interface PieceCutter {
  /** Byte limit of a document without a cut, and of each piece. */
  readonly limitBytes: number
  /**
   * Deterministic: same bytes, same pieces, byte for byte, so a later run finds the receipt of a piece. All pieces
   * exist before the first one is returned. A `Failure` concerns this document only (encrypted, damaged, a single page
   * over the limit). May wait until other cut documents are disposed. Throws errors of `signal` or `read`.
   */
  cut(request: CutRequest, signal: AbortSignal): Promise<CutDocument | Failure>
}
