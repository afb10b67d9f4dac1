import type { AnswerHold } from '#src/kit/answer-memory.ts'
import type { Recipe } from '#src/client/recipe.ts'
import { backoffMs } from '#src/kit/backoff.ts'
import { receiptId, type SourceKey, type Version } from '#src/document/ids.ts'
import { UNCOUNTED_READING } from '../document/read-window.ts'
import { buyAnswer } from '../document/buy-answer.ts'
import type { DocumentDeps, Run, Tier } from '../document/deps.ts'
import { answerOf, findKept, type ReadAnswer, reusedAnswer } from '../document/obtain-answer.ts'
import { type Failed, failed } from '../document/purchase.ts'
import { RetryingReceipts, retryFor } from '../document/retrying-store.ts'
import type { Work } from '../document/work.ts'
import type { Failure } from '#src/document/failure.ts'
import { partHash } from '#src/document/page-list.ts'
import type { PieceCutter } from '#src/ports/piece-cutter.ts'
import type { OpenedDocument } from '#src/ports/source.ts'
import { type ReadDocument, readOnce } from '../document/read-once.ts'

/** One page of a PDF as a separate PDF, held open. */
export interface SinglePage {
  readonly key: SourceKey
  readonly version: Version
  /** Counted from 1 in the original document. */
  readonly pageNumber: number
  readonly read: ReadDocument
}

export interface SinglePages extends AsyncDisposable {
  readonly kind: 'pages'
  readonly pages: readonly SinglePage[]
}

/** Cuts pages out of a document. A document of one page stays uncut, so its receipt is that of the document. */
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

/** Maximum number of attempts before a page counts as failed. */
const MAX_TRIES = 3

/** The run was halted: a refused key, or exhausted credits or budget. */
export class AuditHalted extends Error {
  override name = 'AuditHalted' as const
}

/**
 * Obtains a parser's answer for one page: from its receipt, or bought through the gate and under every cap. Like any
 * document, it writes the intent first and saves the receipt. With the embedded engine it is free.
 */
export async function buyPage(
  page: SinglePage & { readonly tier: Tier },
  recipe: Recipe,
  deps: DocumentDeps,
  signal: AbortSignal,
): Promise<(ReadAnswer & { readonly kind: 'answer' }) | Failed> {
  using hold = deps.run.answerMemory.hold()
  const receipts = new RetryingReceipts(deps.stores.receipts, retryFor(page.key, deps, signal))
  const pageDeps = { ...deps, stores: { ...deps.stores, receipts } }
  const work = workOf(page, recipe, hold, deps.run)
  const kept = await findKept(work, pageDeps.stores, signal)
  if (kept !== null) return { kind: 'answer', ...(await reusedAnswer(kept, work, pageDeps)) }
  const id = receiptId(page.read.contentHash, recipe.hash)
  for (let attempt = 1; ;) {
    const unready = await page.tier.parser.ready(signal)
    if (unready !== null) throw new AuditHalted(unready)
    const outcome = await answerOf(await buyAnswer({ ...work, attempt }, id, pageDeps, signal), work, pageDeps, 1)
    if (outcome.kind === 'parsed') return { kind: 'answer', ...outcome.answer }
    if (outcome.kind === 'failed') {
      if (outcome.countsUntil === 'final' || attempt >= MAX_TRIES) return outcome
      await deps.run.clock.sleep(backoffMs(attempt, outcome.retryAfterMs, deps.run.random), signal)
      attempt += 1
    } else {
      if (outcome.suspected !== undefined) return failed(outcome.suspected)
      // If the gate postpones the request, it waits here: a page has no job in the queue.
      if (outcome.verdict.kind === 'postpone') await deps.run.clock.sleep(outcome.verdict.afterMs, signal)
    }
  }
}

function workOf(
  { key, version, read, tier }: SinglePage & { readonly tier: Tier },
  recipe: Recipe,
  hold: AnswerHold,
  { clock }: Run,
): Work {
  const queuedAt = clock.shared()
  return {
    job: { schema: 1, key, version, recipeHash: recipe.hash, bytes: read.bytes, queuedAt },
    attempt: 1,
    // No record is committed, so no claim must exclude other workers. The intent fences the purchase.
    claim: { number: { epoch: 0, number: 0 }, stillHeld: async () => true, release: async () => undefined },
    startedAt: clock.wall(),
    begunMs: clock.monotonic(),
    version,
    read,
    recipe,
    tier,
    pages: 1,
    hold,
    reading: UNCOUNTED_READING,
    extension: 'pdf',
    address: null,
  }
}
