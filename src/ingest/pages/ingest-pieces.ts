import type { Failure } from '#src/document/failure.ts'
import { type ReceiptId, receiptId } from '#src/document/ids.ts'
import { weakest } from '#src/document/parser.ts'
import type { PieceRecord } from '#src/document/record.ts'
import { type CutDocument, type CutRequest, type Piece, type PieceCutter } from '#src/ports/piece-cutter.ts'
import { DocumentChanged } from '#src/document/document-changed.ts'
import { marksPages, stitchAnswers } from '../answers/stitch-answers.ts'
import { buyAnswer } from '../document/buy-answer.ts'
import { sumOfCosts } from '../document/costs.ts'
import type { DocumentDeps, Run } from '../document/deps.ts'
import {
  answerOf,
  findKept,
  type NotParsed,
  type Parsed,
  type ReadAnswer,
  reusedAnswer,
} from '../document/obtain-answer.ts'
import { needsPdfParser } from '../document/preflight.ts'
import { type Failed, failed, type Purchase, type Unfinished } from '../document/purchase.ts'
import { isLate, type Work } from '../document/work.ts'

/** A piece with its answer. */
export interface ParsedPiece extends ReadAnswer {
  readonly kind: 'piece'
  readonly firstPage: number
  readonly lastPage: number
}

/**
 * Steps 2 to 4 for a PDF over the limit. It cuts the PDF by its pages, finds or buys the answer of each piece, and
 * merges the answers into one. Pieces follow one another, so a crash leaves at most one request in doubt. A retry finds
 * the receipts of all pieces before it. Pages beyond `maxPages` become no piece.
 */
export async function ingestPieces(
  work: Work,
  cutter: PieceCutter,
  deps: DocumentDeps,
  signal: AbortSignal,
): Promise<Parsed | NotParsed> {
  const [parser] = work.recipe.options.parsers
  if (parser === undefined) return failed(needsPdfParser)
  const cut = await cutDocument(work, cutter, { upToPage: parser.maxPages ?? null }, signal)
  if (cut.kind === 'failed') return cut
  await using document = cut
  const pieces: ParsedPiece[] = []
  for (const piece of document.pieces) {
    const parsed = await parsePiece(piece, work, deps, signal)
    if (parsed.kind !== 'piece') return { ...parsed, pieces: pieces.map(inRecord) }
    pieces.push(parsed)
    // No document may hold memory at the gate. The limit on documents cut at a time also limits the memory of their
    // pieces.
    work.hold.giveBack()
  }
  return { kind: 'parsed', answer: wholeOf(pieces, document.totalPages, work, deps.run) }
}

/** Merges the answers for consecutive pieces into one for the document. */
export function wholeOf(
  pieces: readonly ParsedPiece[],
  totalPages: number,
  work: Work,
  { events, clock }: Run,
): Parsed['answer'] {
  if (pieces.every(({ cost }) => cost.basis === 'saved')) events.emit('receipt:reused', { key: work.job.key })
  const whole = { totalPages, pageMarkers: marksPages(work.recipe.canonical) }
  return {
    reading: stitchAnswers(pieces, whole, clock.wall()),
    receipt: null,
    pieces: pieces.map(inRecord),
    cost: sumOfCosts(pieces.map(({ cost }) => cost)),
    requestId: pieces[0]?.requestId ?? null,
    parser: weakest(pieces.map(({ parser: by }) => by)) ?? { ...work.tier.parsers.own, at: null },
  }
}

export const inRecord = ({ firstPage, lastPage, receipt }: PieceRecord): PieceRecord => ({
  firstPage,
  lastPage,
  receipt,
})

export async function cutDocument(
  { read, attempt }: Work,
  cutter: PieceCutter,
  wanted: Omit<CutRequest, 'read'>,
  signal: AbortSignal,
): Promise<CutDocument | Failed> {
  try {
    const cut = await cutter.cut({ read: read.reread, ...wanted }, signal)
    return 'message' in cut ? failed(cut) : cut
  } catch (error) {
    if (!(error instanceof DocumentChanged)) throw error
    const failure: Failure = { code: 'changing', stage: 'read', message: error.message }
    return failed(failure, attempt)
  }
}

export async function parsePiece(
  piece: Piece,
  work: Work,
  deps: DocumentDeps,
  signal: AbortSignal,
): Promise<ParsedPiece | Unfinished> {
  const { firstPage, lastPage, contentHash } = piece
  const pieceWork = workOf(piece, work)
  const kept = await findKept(pieceWork, deps.stores, signal)
  if (kept !== null) return { kind: 'piece', firstPage, lastPage, ...(await reusedAnswer(kept, work, deps)) }
  const id = receiptId(contentHash, work.recipe.hash)
  const outcome = await answerOf(await buyPiece(pieceWork, id, deps, signal), pieceWork, deps, lastPage - firstPage + 1)
  return outcome.kind === 'parsed' ? { kind: 'piece', firstPage, lastPage, ...outcome.answer } : outcome
}

/** Work for a piece as a separate document. */
export function workOf(piece: Pick<Piece, 'contentHash' | 'bytes' | 'pages' | 'read'>, work: Work): Work {
  const { contentHash, bytes, pages } = piece
  const read = { contentHash, bytes, head: work.read.head, reread: (signal: AbortSignal) => piece.read(signal) }
  return { ...work, read, pages: pages.length }
}

/**
 * Buys one piece, and waits here if it is postponed. A return to the queue would read and cut the document once more
 * each time, and lose the cost of its first pieces. A halted run waits for nothing.
 */
export async function buyPiece(work: Work, id: ReceiptId, deps: DocumentDeps, signal: AbortSignal): Promise<Purchase> {
  for (;;) {
    const purchase = await buyAnswer(work, id, deps, signal)
    if (purchase.kind !== 'later' || purchase.verdict.kind !== 'postpone') return purchase
    if (purchase.halted === true || purchase.suspected !== undefined || isLate(work.job, deps)) return purchase
    await deps.run.clock.sleep(purchase.verdict.afterMs, signal)
  }
}
