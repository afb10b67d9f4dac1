import type { SourceKey, Version } from '#src/document/ids.ts'
import type { Failure } from '#src/document/failure.ts'
import { partHash } from '#src/document/page-list.ts'
import type { PieceCutter } from '#src/ports/piece-cutter.ts'
import type { OpenedDocument } from '#src/ports/source.ts'
import { type ReadDocument, readOnce } from '../process/read-once.ts'

/** One page of a PDF as a PDF of its own, held open. */
export interface SinglePage {
  readonly key: SourceKey
  readonly version: Version
  /** 1-based, in the whole document. */
  readonly pageNumber: number
  readonly read: ReadDocument
}

export interface SinglePages extends AsyncDisposable {
  readonly kind: 'pages'
  readonly pages: readonly SinglePage[]
}

/**
 * Cuts pages out of a document. A document of one page is taken as it is: a receipt that is bought for it is that of the
 * document.
 */
export async function openSinglePages(
  key: SourceKey,
  document: OpenedDocument,
  wanted: { readonly pageNumbers: readonly number[]; readonly totalPages: number },
  cutter: PieceCutter,
  signal: AbortSignal,
): Promise<SinglePages | Failure> {
  const read = await readOnce(document, signal)
  const { version } = document
  if (wanted.totalPages === 1) {
    return {
      kind: 'pages',
      pages: [{ key, version, pageNumber: 1, read }],
      [Symbol.asyncDispose]: async () => undefined,
    }
  }
  const lists = wanted.pageNumbers.map((page) => [page])
  const cut = await cutter.cut({ read: read.reread, upToPage: null, lists }, signal)
  if ('message' in cut) return cut
  const [tooLarge] = cut.failed ?? []
  if (tooLarge !== undefined && cut.pieces.length === 0) {
    await cut[Symbol.asyncDispose]()
    return tooLarge.failure
  }
  const pages = cut.pieces.map((piece): SinglePage => {
    const { bytes, firstPage: pageNumber } = piece
    // A route that buys this page later finds the receipt by this name.
    const contentHash = partHash(read.contentHash, [pageNumber])
    const { head } = read
    return { key, version, pageNumber, read: { contentHash, bytes, head, reread: (again) => piece.read(again) } }
  })
  return { kind: 'pages', pages, [Symbol.asyncDispose]: () => cut[Symbol.asyncDispose]() }
}
