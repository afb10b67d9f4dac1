import { type AnswerReading, readAnswer } from '#src/contract/read-answer.ts'
import { assertNever } from '#src/document/assert-never.ts'
import { DocumentChanged } from '#src/document/document-changed.ts'
import type { Failure } from '#src/document/failure.ts'
import { type ReceiptId, receiptId } from '#src/document/ids.ts'
import { halvesOf, pageLists, partHash } from '#src/document/page-list.ts'
import type { ParserFacts } from '#src/document/parser.ts'
import type { Cost } from '#src/document/record.ts'
import type { CutDocument, Piece, PieceCutter } from '#src/ports/piece-cutter.ts'
import { buyPiece } from '../process/buy-piece.ts'
import { costOf } from '../process/commit-answer.ts'
import type { Purchase } from '../process/purchase.ts'
import type { Work } from '../process/work.ts'
import { findPart } from './find-part.ts'
import type { ServiceStep } from './service-step.ts'

/** Some pages of a document with the service's answer for them. */
export interface BoughtPart {
  readonly pages: readonly number[]
  /** Null when the answer may not be kept. */
  readonly receipt: ReceiptId | null
  readonly reading: AnswerReading
  readonly parser: ParserFacts
  readonly cost: Cost
  readonly requestId: string | null
  /** Name of the service that answered. */
  readonly service: string
}

export interface PagesBought {
  readonly kind: 'bought'
  /** Of two with the same page the first one counts. */
  readonly parts: readonly BoughtPart[]
  /** Pages for which no answer came, each with its reason. */
  readonly failed: ReadonlyMap<number, Failure>
  /** A failure that another attempt may mend; null where there is none. */
  readonly passing: Extract<Purchase, { kind: 'failed' }> | null
}

type NotNow = Extract<Purchase, { kind: 'later' }>

/**
 * Buys these pages of a PDF as one small PDF. A list of pages that fails is halved and sent again, so that a page that
 * no service can read costs itself alone. One request after the other: all have the intent of the document, so that no
 * copy of it buys the same pages at the same time, and a kill leaves one request in doubt at the most.
 */
export async function buyPages(
  work: Work,
  pages: readonly number[],
  { cutter, most }: { readonly cutter: PieceCutter; readonly most: number },
  step: ServiceStep,
  signal: AbortSignal,
): Promise<PagesBought | NotNow> {
  const parts: BoughtPart[] = []
  const failed = new Map<number, Failure>()
  let passing: PagesBought['passing'] = null
  let waiting = pageLists(pages, most)
  while (waiting.length > 0) {
    const cut = await cutLists(work, waiting, cutter, signal)
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
        const have = bought.part.pages
        parts.push(bought.part)
        const missing = piece.pages.filter((page) => !have.includes(page))
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

type Failed = Extract<Purchase, { kind: 'failed' }>

async function cutLists(
  { read, attempt }: Work,
  lists: readonly (readonly number[])[],
  cutter: PieceCutter,
  signal: AbortSignal,
): Promise<CutDocument | Failed> {
  const failing = (failure: Failure, countsUntil: Failed['countsUntil']): Failed => ({
    kind: 'failed',
    failure,
    countsUntil,
    retryAfterMs: null,
  })
  try {
    const cut = await cutter.cut({ read: read.reread, upToPage: null, lists }, signal)
    return 'message' in cut ? failing(cut, 'final') : cut
  } catch (error) {
    if (!(error instanceof DocumentChanged)) throw error
    return failing({ code: 'changing', stage: 'read', message: error.message }, attempt)
  }
}

async function buyPart(
  piece: Piece,
  work: Work,
  step: ServiceStep,
  signal: AbortSignal,
): Promise<{ readonly kind: 'part'; readonly part: BoughtPart } | Failed | NotNow> {
  const { pages } = piece
  const { deps, name: service } = step
  const { recipe } = work
  // One intent for the document: no copy of it asks at the same time.
  const intent = receiptId(work.read.contentHash, recipe.hash)
  const content = partHash(work.read.contentHash, pages)
  const keepsReceipt = !recipe.options.zeroDataRetention
  const purchase = await buyPiece(
    { ...piece, read: (again) => piece.read(again), contentHash: content },
    intent,
    { ...work, findAnswer: (cut) => findPart(work, pages, step, cut) },
    deps,
    signal,
  )
  switch (purchase.kind) {
    case 'bought': {
      const { answer, parser } = purchase
      const reading = readAnswer(answer.body, deps.clock.wall(), answer.json)
      const receipt = keepsReceipt ? receiptId(content, recipe.hash, parser.class) : null
      const cost = costOf(work, false, reading, deps, pages.length)
      deps.recentCosts.paid(work, receipt, cost)
      const requestId = answer.requestId ?? reading.requestId
      return { kind: 'part', part: { pages, receipt, reading, parser, cost, requestId, service } }
    }
    case 'kept': {
      const { id: receipt, body, parser } = purchase.receipt
      const have = step.pagesOf(receipt, work.read.contentHash) ?? pages
      const reading = readAnswer(body, deps.clock.wall())
      const cost = deps.recentCosts.of(work, receipt)
      const { requestId } = reading
      return { kind: 'part', part: { pages: have, receipt, reading, parser, cost, requestId, service } }
    }
    case 'later':
    case 'failed':
      return purchase
    default:
      return assertNever(purchase)
  }
}
