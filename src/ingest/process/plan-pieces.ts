import type { Failure } from '#src/document/failure.ts'
import type { PieceCutter } from '#src/ports/piece-cutter.ts'
import type { Recipe } from '#src/contract/recipe.ts'
import type { PriceModel } from './costs.ts'
import type { Receipts } from './deps.ts'
import { findReceipt } from './find-receipt.ts'
import { needsPdfParser } from './preflight.ts'
import type { ReadDocument } from './read-once.ts'

/** What would be bought of a document over the limit; no requests where every piece has its receipt already. */
export interface PlannedPieces {
  readonly requests: number
  readonly pages: number
  readonly credits: number
}

/** Cuts the document as a run would: each piece is a document of its own for the service, and priced as one. */
export async function planPieces(
  read: ReadDocument,
  recipe: Recipe,
  cutter: PieceCutter,
  deps: Receipts & PriceModel,
  signal: AbortSignal,
): Promise<PlannedPieces | Failure> {
  const [parser] = recipe.options.parsers
  if (parser === undefined) return needsPdfParser
  const cut = await cutter.cut({ read: read.reread, upToPage: parser.maxPages ?? null }, signal)
  if ('message' in cut) return cut
  await using document = cut
  let planned: PlannedPieces = { requests: 0, pages: 0, credits: 0 }
  for (const { firstPage, lastPage, contentHash } of document.pieces) {
    if ((await findReceipt(contentHash, recipe.hash, deps)) !== null) continue
    const pages = lastPage - firstPage + 1
    planned = {
      requests: planned.requests + 1,
      pages: planned.pages + pages,
      credits: planned.credits + deps.price(recipe, 'pdf', pages),
    }
  }
  return planned
}
