import { receiptId, type ReceiptId, type RecipeHash } from '#src/document/ids.ts'
import type { Failure } from '#src/document/failure.ts'
import { partHash } from '#src/document/page-list.ts'
import type { DocumentRecord } from '#src/document/record.ts'
import type { IngestDeps } from '../deps.ts'
import type { Bought } from './buy-page.ts'

/** The name of the answer for these pages of a document, under this recipe. */
export function partReceipt(
  { contentHash }: Pick<DocumentRecord, 'contentHash'>,
  pages: readonly number[],
  recipe: RecipeHash,
): ReceiptId {
  return receiptId(partHash(contentHash, pages), recipe, 'service')
}

/** The same pages as the same small PDF that was sent for them, held open. */
export async function cutOut(
  whole: Bought,
  pages: readonly number[],
  { tiers, cutter: own }: Pick<IngestDeps, 'tiers' | 'cutter'>,
  signal: AbortSignal,
): Promise<(Bought & AsyncDisposable) | Failure> {
  const cutter = tiers?.cutter ?? own
  const failing = (message: string): Failure => ({ code: 'too_large', stage: 'read', message })
  if (cutter === null) return failing('single pages of it were bought: give the --route of its run')
  const cut = await cutter.cut({ read: whole.read.reread, upToPage: null, lists: [pages] }, signal)
  if ('message' in cut) return cut
  const [piece, ...more] = cut.pieces
  if (piece === undefined || more.length > 0) {
    await cut[Symbol.asyncDispose]()
    return failing('its pages are over the limit of one request now')
  }
  const read = {
    ...whole.read,
    bytes: piece.bytes,
    contentHash: partHash(whole.read.contentHash, pages),
    reread: piece.read.bind(piece),
  }
  return { ...whole, read, pages: pages.length, [Symbol.asyncDispose]: () => cut[Symbol.asyncDispose]() }
}

/** Only an answer of the service will do, whatever the route of the document. */
export function onService(deps: IngestDeps): IngestDeps {
  const { tiers, parsers } = deps
  if (tiers === undefined) return deps
  return { ...deps, parsers: { ...parsers, own: tiers.service, acceptLocal: false, routes: undefined } }
}
