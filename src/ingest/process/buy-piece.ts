import type { Failure } from '#src/document/failure.ts'
import type { ReceiptId } from '#src/document/ids.ts'
import type { Piece } from '#src/ports/piece-cutter.ts'
import type { PieceDeps } from '../deps.ts'
import { buyAnswer } from './buy-answer.ts'
import { isLate } from './is-late.ts'
import type { Purchase } from './purchase.ts'
import type { Work } from './work.ts'

type Failed = Extract<Purchase, { kind: 'failed' }>

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
    const purchase = leftWhenDown(await buyAnswer(pieceWork, id, pieceDeps, signal), deps)
    if (purchase.kind !== 'later' || purchase.verdict.kind !== 'postpone') return purchase
    if (halted || purchase.suspected !== undefined || isLate(work.job, deps)) return purchase
    await deps.clock.sleep(purchase.verdict.afterMs, signal)
  }
}

/** With `leavesWhenDown`, what waits for the service, is suspected, or may be mended by another attempt has failed at this service. */
export function leftWhenDown<P extends Purchase>(purchase: P, { leavesWhenDown }: PieceDeps): P | Failed {
  if (leavesWhenDown !== true) return purchase
  if (purchase.kind === 'failed') return { ...purchase, countsUntil: 'final' }
  if (purchase.kind !== 'later') return purchase
  const failure = purchase.isDown === true ? DOWN : purchase.suspected
  return failure === undefined ? purchase : { kind: 'failed', failure, countsUntil: 'final', retryAfterMs: null }
}

const DOWN: Failure = { code: 'service_unavailable', stage: 'parse', message: 'the service is down' }
