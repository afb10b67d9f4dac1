import type { ReceiptId } from '#src/document/ids.ts'
import type { Piece } from '#src/ports/piece-cutter.ts'
import type { PieceDeps } from './deps.ts'
import { buyAnswer } from './buy-answer.ts'
import { isLate } from './is-late.ts'
import type { Purchase } from './purchase.ts'
import type { Work } from './work.ts'

/**
 * Buys one piece, and waits here where it is postponed: given back to the queue, the document would be read and
 * cut once more each time, and what its first pieces cost would be forgotten. A run that is halted waits for nothing.
 */
export async function buyPiece(
  piece: Piece,
  id: ReceiptId,
  work: Work,
  deps: PieceDeps,
  signal: AbortSignal,
): Promise<Purchase> {
  const { contentHash, bytes, pages } = piece
  const read = { contentHash, bytes, head: work.read.head, reread: (again: AbortSignal) => piece.read(again) }
  const pieceWork: Work = { ...work, read }
  let halted = false
  const pieceDeps: PieceDeps = {
    ...deps,
    countPages: async () => pages.length,
    halt: (...halt) => {
      halted = true
      deps.halt(...halt)
    },
  }
  for (;;) {
    const purchase = await buyAnswer(pieceWork, id, pieceDeps, signal)
    if (purchase.kind !== 'later' || purchase.verdict.kind !== 'postpone') return purchase
    if (halted || purchase.suspected !== undefined || isLate(work.job, deps)) return purchase
    await deps.clock.sleep(purchase.verdict.afterMs, signal)
  }
}
