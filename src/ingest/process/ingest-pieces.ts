import { type AnswerReading, readAnswer } from '#src/contract/read-answer.ts'
import { assertNever } from '#src/document/assert-never.ts'
import type { Failure } from '#src/document/failure.ts'
import { receiptId } from '#src/document/ids.ts'
import { type ParserFacts, weakest } from '#src/document/parser.ts'
import type { Cost, PieceRecord } from '#src/document/record.ts'
import { type CutDocument, type CutRequest, type Piece, type PieceCutter } from '#src/ports/piece-cutter.ts'
import { DocumentChanged } from '#src/document/document-changed.ts'
import { buyPiece } from './buy-piece.ts'
import { costOf } from './commit-answer.ts'
import type { PieceDeps } from './deps.ts'
import { type FoundReceipt, findReceipt } from './find-receipt.ts'
import { needsPdfParser } from './preflight.ts'
import type { Purchase } from './purchase.ts'
import { sumOfCosts } from './sum-of-costs.ts'
import { marksPages, stitchAnswers } from '../answers/stitch-answers.ts'
import type { Work } from './work.ts'

type Failed = Extract<Purchase, { kind: 'failed' }>
export type NotParsed = Failed | Extract<Purchase, { kind: 'later' }>

export type PiecesOutcome =
  | {
      readonly kind: 'parsed'
      /** Of the whole document. */
      readonly reading: AnswerReading
      readonly pieces: readonly PieceRecord[]
      readonly cost: Cost
      readonly requestId: string | null
      readonly parser: ParserFacts
    }
  /** With the pieces that were parsed before. */
  | (NotParsed & { readonly pieces?: readonly PieceRecord[] })

export interface ParsedPiece extends PieceRecord {
  readonly kind: 'parsed'
  readonly reading: AnswerReading
  readonly cost: Cost
  readonly requestId: string | null
  readonly parser: ParserFacts
}

/**
 * Steps 2 to 4 for a PDF over the limit: it is cut by its pages, each piece is searched for among the receipts and bought
 * when it is not there, and the answers become that of the whole. Pieces come one after the other, so that a crash
 * leaves one request in doubt at the most; the next try finds the receipts of all before it. Of pages that `maxPages`
 * leaves out no piece is made.
 */
export async function ingestPieces(
  work: Work,
  cutter: PieceCutter,
  deps: PieceDeps,
  signal: AbortSignal,
): Promise<PiecesOutcome> {
  const [parser] = work.recipe.options.parsers
  if (parser === undefined) return failed(needsPdfParser)
  const cut = await cutDocument(work, cutter, { upToPage: parser.maxPages ?? null }, signal)
  if (cut.kind === 'failed') return cut
  await using document = cut
  const pieces: ParsedPiece[] = []
  for (const piece of document.pieces) {
    const parsed = await parsePiece(piece, work, deps, signal)
    if (parsed.kind !== 'parsed') return { ...parsed, pieces: pieces.map(inRecord) }
    pieces.push(parsed)
    // Nothing may be held at the gate. What pieces come to is bounded by how many documents are cut at a time.
    work.hold.giveBack()
  }
  if (pieces.every(({ cost }) => cost.basis === 'saved')) deps.events.emit('receipt:reused', { key: work.job.key })
  return wholeOf(pieces, document.totalPages, work, deps)
}

/** The answers for consecutive pieces as one for the whole document. */
export function wholeOf(
  pieces: readonly ParsedPiece[],
  totalPages: number,
  work: Work,
  deps: PieceDeps,
): Extract<PiecesOutcome, { kind: 'parsed' }> {
  const whole = { totalPages, pageMarkers: marksPages(work.recipe.canonical) }
  return {
    kind: 'parsed',
    reading: stitchAnswers(pieces, whole, deps.clock.wall()),
    pieces: pieces.map(inRecord),
    cost: sumOfCosts(pieces.map(({ cost }) => cost)),
    requestId: pieces[0]?.requestId ?? null,
    parser: weakest(pieces.map(({ parser: by }) => by)) ?? { ...deps.parsers.own, at: null },
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
    return failed({ code: 'changing', stage: 'read', message: error.message }, attempt)
  }
}

export async function parsePiece(
  piece: Piece,
  work: Work,
  deps: PieceDeps,
  signal: AbortSignal,
): Promise<ParsedPiece | NotParsed> {
  const { firstPage, lastPage } = piece
  const id = receiptId(piece.contentHash, work.recipe.hash)
  const keepsReceipt = !work.recipe.options.zeroDataRetention
  const parsed = (
    { receipt, parser }: Pick<ParsedPiece, 'receipt' | 'parser'>,
    reading: AnswerReading,
    cost: Cost,
    requestId: string | null,
  ): ParsedPiece => ({
    kind: 'parsed',
    firstPage,
    lastPage,
    receipt,
    parser,
    reading,
    cost,
    requestId: requestId ?? reading.requestId,
  })
  const reuse = async ({ id: receipt, body, parser }: FoundReceipt): Promise<ParsedPiece> => {
    // Saved once more, so that `sluice gc` does not collect it as unused before the record refers to it.
    await deps.store.saveReceipt(receipt, body, parser)
    return parsed({ receipt, parser }, readAnswer(body, deps.clock.wall()), deps.recentCosts.of(work, receipt), null)
  }
  const kept = keepsReceipt
    ? await findReceipt(piece.contentHash, work.recipe.hash, deps, { hold: work.hold, signal })
    : null
  if (kept !== null) {
    await deps.intents.conclude(id, work.job.key)
    return reuse(kept)
  }
  const purchase = await buyPiece(piece, id, work, deps, signal)
  switch (purchase.kind) {
    case 'bought': {
      const { body, json, requestId } = purchase.answer
      const { parser } = purchase
      const receipt = keepsReceipt ? receiptId(piece.contentHash, work.recipe.hash, parser.class) : null
      const reading = readAnswer(body, deps.clock.wall(), json)
      const cost = costOf(work, false, reading, deps, lastPage - firstPage + 1)
      deps.recentCosts.paid(work, receipt, cost)
      return parsed({ receipt, parser }, reading, cost, requestId)
    }
    case 'kept':
      return reuse(purchase.receipt)
    case 'later':
    case 'failed':
      return purchase
    default:
      return assertNever(purchase)
  }
}

/** Final, unless another `attempt` may help. */
const failed = (failure: Failure, attempt?: number): Failed => ({
  kind: 'failed',
  failure,
  countsUntil: attempt ?? 'final',
  retryAfterMs: null,
})
