import { mostPagesIn } from '#src/contract/timeouts.ts'
import type { Failure } from '#src/document/failure.ts'
import { receiptId } from '#src/document/ids.ts'
import { halvesOf, pageLists, partHash } from '#src/document/page-list.ts'
import type { Piece, PieceCutter } from '#src/ports/piece-cutter.ts'
import { buyPiece, cutDocument, workOf } from '../process/ingest-pieces.ts'
import { answerOf } from '../process/obtain-answer.ts'
import type { Failed, Unfinished } from '../process/purchase.ts'
import type { Work } from '../process/work.ts'
import { type BoughtPart, findPart, type ServiceStep } from './service-answers.ts'

export interface PagesBought {
  readonly kind: 'bought'
  /** Of two with the same page the first one counts. */
  readonly parts: readonly BoughtPart[]
  /** Pages for which no answer came, each with its reason. */
  readonly failed: ReadonlyMap<number, Failure>
  /** A failure that another attempt may mend; null where there is none. */
  readonly passing: Failed | null
}

/**
 * Buys these pages of a PDF as one small PDF. A list of pages that fails is halved and sent again, so that a page that
 * no service can read costs itself alone. One request after the other: all have the intent of the document, so that no
 * copy of it buys the same pages at the same time, and a kill leaves one request in doubt at the most.
 */
export async function buyPages(
  work: Work,
  pages: readonly number[],
  cutter: PieceCutter,
  step: ServiceStep,
  signal: AbortSignal,
): Promise<PagesBought | Extract<Unfinished, { kind: 'later' }>> {
  const parts: BoughtPart[] = []
  const failed = new Map<number, Failure>()
  let passing: PagesBought['passing'] = null
  const most = mostPagesIn(work.recipe.options)
  let waiting = pageLists(
    pages.toSorted((a, b) => a - b),
    most,
  )
  while (waiting.length > 0) {
    const cut = await cutDocument(work, cutter, { upToPage: null, lists: waiting }, signal)
    if (cut.kind === 'failed') {
      for (const page of waiting.flat()) failed.set(page, cut.failure)
      return { kind: 'bought', parts, failed, passing: cut.countsUntil === 'final' ? passing : cut }
    }
    await using document = cut
    for (const { page, failure } of document.failed ?? []) failed.set(page, failure)
    waiting = []
    for (const piece of document.pieces) {
      const bought = await buyPart(piece, work, step, signal)
      if (bought.kind === 'later') return bought
      if (bought.kind === 'part') {
        parts.push(bought)
        const missing = piece.pages.filter((page) => !bought.pages.includes(page))
        if (missing.length > 0) waiting.push(missing)
      } else if (piece.pages.length > 1) waiting.push(...halvesOf(piece.pages))
      else {
        for (const page of piece.pages) failed.set(page, bought.failure)
        if (bought.countsUntil !== 'final') passing = bought
      }
      work.hold.giveBack()
    }
  }
  return { kind: 'bought', parts, failed, passing }
}

async function buyPart(
  piece: Piece,
  work: Work,
  step: ServiceStep,
  signal: AbortSignal,
): Promise<(BoughtPart & { readonly kind: 'part' }) | Unfinished> {
  const { pages } = piece
  const { deps, name: service } = step
  const { contentHash } = work.read
  // One intent for the document: no copy of it asks at the same time.
  const intent = receiptId(contentHash, work.recipe.hash)
  const named = { ...piece, contentHash: partHash(contentHash, pages), read: (again: AbortSignal) => piece.read(again) }
  const pieceWork = { ...workOf(named, work), findAnswer: (cut: AbortSignal) => findPart(work, pages, step, cut) }
  const outcome = await answerOf(await buyPiece(pieceWork, intent, piece, deps, signal), pieceWork, deps, pages.length)
  if (outcome.kind !== 'parsed') return outcome
  const { answer } = outcome
  // One that was found may hold other pages, too.
  const have = answer.receipt === null ? null : step.pagesOf(answer.receipt)
  return { kind: 'part', pages: have ?? pages, service, ...answer }
}
