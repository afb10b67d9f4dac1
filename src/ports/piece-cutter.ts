import type { Failure } from '#src/document/failure.ts'
import type { ContentHash } from '#src/document/ids.ts'

export interface CutRequest {
  /** Streams the document; a chunk is good until the next one is asked for. */
  read(signal: AbortSignal): AsyncIterable<Uint8Array>
  /** Last page that is wanted; null for all. Nothing after it is cut, however large its pages are. */
  readonly upToPage: number | null
  /** Most pages of a piece; missing or null for as many as the limit of bytes allows. */
  readonly mostPages?: number | null
  /** Pages of each piece that is wanted, ascending, of those that there are; missing for the whole document. */
  readonly lists?: readonly (readonly number[])[]
}

/** Pages of a PDF as a PDF of their own, no larger than the limit. */
export interface Piece {
  /** Both counted from 1 in the whole document, and included. */
  readonly firstPage: number
  readonly lastPage: number
  /** All of them, in order. */
  readonly pages: readonly number[]
  readonly contentHash: ContentHash
  readonly bytes: number
  /** Starts at the first byte at each call. A chunk is good until the next one is asked for. */
  read(signal: AbortSignal): AsyncIterable<Uint8Array>
}

/** The pieces of a document, held open: they are gone once it is disposed of. */
export interface CutDocument extends AsyncDisposable {
  readonly kind: 'cut'
  /** Of the whole document, wanted or not. */
  readonly totalPages: number
  /** Of a whole document from page 1 on, in order and without a gap; a list over the limit comes in several pieces. */
  readonly pieces: readonly Piece[]
  /** Of lists: pages that alone are over the limit. */
  readonly failed?: readonly { readonly page: number; readonly failure: Failure }[]
}

/** Cuts a PDF that is too large for the service by its pages. */
export interface PieceCutter {
  /** Largest document that needs no cut, and largest piece. */
  readonly limitBytes: number
  /**
   * Same bytes, same pieces, byte for byte: a receipt that was bought for a piece is found again. All pieces are there
   * before the first one is handed out. A `Failure` is about this document only (encrypted, damaged, a single page over
   * the limit). May wait for other cut documents to be disposed of. Throws what `signal` or `read` throws.
   */
  cut(request: CutRequest, signal: AbortSignal): Promise<CutDocument | Failure>
}
