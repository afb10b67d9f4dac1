import type { Failure } from '#src/document/failure.ts'
import { receiptId } from '#src/document/ids.ts'
import { weakest } from '#src/document/parser.ts'
import type { PieceRecord, RoutedPage } from '#src/document/record.ts'
import { type PageOutlook, type PageReason, pagesBelow } from '#src/route/choose-pages.ts'
import { mergePages } from '../answers/merge-pages.ts'
import { marksPages } from '../answers/stitch-answers.ts'
import { sumOfCosts } from '../document/costs.ts'
import type { DocumentDeps, RoutedTiers } from '../document/deps.ts'
import { type DocumentAnswer, type Outcome, answerOf } from '../document/obtain-answer.ts'
import type { Work } from '../document/work.ts'
import { type BoughtPart, boughtBefore, type ServiceStep, findPart } from './service-answers.ts'
import { mostPagesIn } from '#src/client/timeouts.ts'
import { halvesOf, namedPages, pageLists, partHash } from '#src/document/page-list.ts'
import type { Piece, PieceCutter } from '#src/ports/piece-cutter.ts'
import { buyPiece, cutDocument, workOf } from './ingest-pieces.ts'
import type { Failed, Unfinished } from '../document/purchase.ts'

interface PagesBought {
  readonly kind: 'bought'
  /** If two hold the same page, the first one counts. */
  readonly parts: readonly BoughtPart[]
  /** Pages without an answer, each with its reason. */
  readonly failed: ReadonlyMap<number, Failure>
  /** A failure for which a retry may help; null without one. */
  readonly retryable: Failed | null
}

/** Buys the pages of a PDF with a bad reading in the engine's answer `local`, and merges everything into one answer. */
export async function routePages(
  work: Work,
  local: DocumentAnswer,
  pages: readonly PageOutlook[],
  { step, tiers }: { readonly step: ServiceStep; readonly tiers: RoutedTiers },
  deps: DocumentDeps,
  signal: AbortSignal,
): Promise<Outcome> {
  const wanted = pagesBelow(tiers.terms, pages)
  const { hash, canonical } = work.recipe
  const before = await boughtBefore(work, wanted, step, deps, signal)
  const have = new Set(before.flatMap((part) => part.pages))
  const missing = wanted.filter((page) => !have.has(page))
  const need = await capPages(missing, { before: have.size, counted: pages.length }, tiers)
  const now = await buyPages(work, need, { step, cutter: tiers.cutter }, deps, signal)
  if (now.kind === 'later') return now
  const bought = { ...now, parts: [...before, ...now.parts] }
  if (need.length === 0 && before.length > 0)
    await work.tier.intents.conclude(receiptId(work.read.contentHash, hash), work.job.key)
  const { reading, from } = mergePages(
    local.reading,
    bought.parts,
    { pageMarkers: marksPages(canonical) },
    deps.run.clock.wall(),
  )
  const routes = routedPages(pages, wanted, from, bought)
  const route = { ...tiers.terms, whole: null, pages: routes }
  const origin = originOf(local, bought.parts, from.size < pages.length)
  const problems = [...reading.problems, ...problemsOf(routes, bought.failed)]
  const answer = { ...origin, reading: { ...reading, problems }, route }
  const { retryable } = bought
  return retryable === null ? { kind: 'parsed', answer } : { kind: 'incomplete', answer, failed: retryable }
}

/**
 * Limits these pages, worst first, by the document's and the pipeline's caps. Pages bought before count for `buyPages`
 * but not for `buyShare`: they are used, and never bought again.
 */
async function capPages(
  missing: readonly number[],
  { before, counted }: { readonly before: number; readonly counted: number },
  { terms, share }: RoutedTiers,
): Promise<readonly number[]> {
  const most = terms.buyPages === null ? undefined : Math.max(0, terms.buyPages - before)
  const need = missing.slice(0, most)
  if (terms.buyShare >= 1) return need
  return need.slice(0, await share.grant({ counted, wanted: need.length, share: terms.buyShare }))
}

/** Origin of the merged answer; `hasLocal`: some of its pages are the engine's. */
function originOf(local: DocumentAnswer, parts: readonly BoughtPart[], hasLocal: boolean): DocumentAnswer {
  if (parts.length === 0) return local
  const parsers = [...(hasLocal ? [local.parser] : []), ...parts.map(({ parser }) => parser)]
  const lastPage = Math.max(1, local.reading.data.pages?.length ?? local.reading.pages.parsed ?? 1)
  return {
    reading: local.reading,
    receipt: null,
    pieces: [...(local.pieces ?? [{ firstPage: 1, lastPage, receipt: local.receipt }]), ...parts.map(pieceOf)],
    parser: weakest(parsers) ?? local.parser,
    requestId: parts[0]?.requestId ?? local.requestId,
    cost: sumOfCosts(parts.map(({ cost }) => cost)),
  }
}

const pieceOf = ({ pages, receipt }: BoughtPart): PieceRecord => ({
  firstPage: pages[0] ?? 1,
  lastPage: pages.at(-1) ?? 1,
  receipt,
  pages,
})

/**
 * Lists each page of a document with its parser, the reason, the quality of the engine's reading, and its cost. `from`
 * maps a page to the index of its part.
 */
function routedPages(
  pages: readonly PageOutlook[],
  wanted: readonly number[],
  from: ReadonlyMap<number, number>,
  { parts, failed }: Pick<PagesBought, 'parts' | 'failed'>,
): RoutedPage[] {
  return pages.map(({ pageNumber, quality }): RoutedPage => {
    const all = parts.filter((one) => one.pages.includes(pageNumber))
    const part = parts[from.get(pageNumber) ?? -1]
    const paid = all.reduce((sum, { cost, pages: { length } }) => sum + cost.credits / length, 0)
    const reason = ((): PageReason => {
      if (part !== undefined) return part.cost.basis === 'saved' ? 'bought-before' : 'bought'
      if (all.length > 0 || failed.has(pageNumber)) return 'service-failed'
      if (wanted.includes(pageNumber)) return 'over-limit'
      return quality === null ? 'ungraded' : 'good'
    })()
    const common = { page: pageNumber, reason, grade: quality, credits: paid }
    if (part === undefined) return { ...common, parser: 'embedded' }
    return { ...common, parser: 'service', service: part.service }
  })
}

/** Problems of a partial document: pages below the floor without an answer of the service. */
function problemsOf(pages: readonly RoutedPage[], failed: ReadonlyMap<number, Failure>): string[] {
  const numbers = pages.filter(({ reason }) => reason === 'service-failed').map(({ page }) => page)
  if (numbers.length === 0) return []
  const reasons = new Set(numbers.map((page) => failed.get(page)?.message ?? 'the answer has no text for it'))
  const subject = namedPages(numbers)
  return [`the engine's text stays for ${subject}, because the service failed: ${[...reasons].slice(0, 3).join('; ')}`]
}

/**
 * Buys these pages of a PDF as one small PDF. A failed list of pages is halved and sent again, so that an unreadable
 * page costs only itself. Requests are sequential and share the intent of the document. No copy of it buys the same
 * pages at the same time, and a kill leaves at most one request in doubt.
 */
async function buyPages(
  work: Work,
  pages: readonly number[],
  { step, cutter }: { readonly step: ServiceStep; readonly cutter: PieceCutter },
  deps: DocumentDeps,
  signal: AbortSignal,
): Promise<PagesBought | Extract<Unfinished, { kind: 'later' }>> {
  const parts: BoughtPart[] = []
  const failed = new Map<number, Failure>()
  let retryable: PagesBought['retryable'] = null
  const inOrder = pages.toSorted((a, b) => a - b)
  let waiting = pageLists(inOrder, mostPagesIn(work.recipe.options))
  while (waiting.length > 0) {
    const cut = await cutDocument(work, cutter, { upToPage: null, lists: waiting }, signal)
    if (cut.kind === 'failed') {
      for (const page of waiting.flat()) failed.set(page, cut.failure)
      return { kind: 'bought', parts, failed, retryable: cut.countsUntil === 'final' ? retryable : cut }
    }
    await using document = cut
    for (const { page, failure } of document.failed ?? []) failed.set(page, failure)
    waiting = []
    for (const piece of document.pieces) {
      const bought = await buyPart(piece, work, step, deps, signal)
      if (bought.kind === 'later') return bought
      if (bought.kind === 'part') {
        parts.push(bought)
        const missing = piece.pages.filter((page) => !bought.pages.includes(page))
        if (missing.length > 0) waiting.push(missing)
      } else if (piece.pages.length > 1) waiting.push(...halvesOf(piece.pages))
      else {
        for (const page of piece.pages) failed.set(page, bought.failure)
        if (bought.countsUntil !== 'final') retryable = bought
      }
      work.hold.giveBack()
    }
  }
  return { kind: 'bought', parts, failed, retryable }
}

async function buyPart(
  piece: Piece,
  work: Work,
  step: ServiceStep,
  deps: DocumentDeps,
  signal: AbortSignal,
): Promise<(BoughtPart & { readonly kind: 'part' }) | Unfinished> {
  const { pages } = piece
  const { name: service } = step
  const { contentHash } = work.read
  // One intent for the document: no copy of it sends requests at the same time.
  const intent = receiptId(contentHash, work.recipe.hash)
  const named = { ...piece, contentHash: partHash(contentHash, pages), read: (again: AbortSignal) => piece.read(again) }
  const pieceWork = {
    ...workOf(named, work),
    findAnswer: (cut: AbortSignal) => findPart(work, pages, step, deps.stores, cut),
  }
  const outcome = await answerOf(await buyPiece(pieceWork, intent, deps, signal), pieceWork, deps, pages.length)
  if (outcome.kind !== 'parsed') return outcome
  const { answer } = outcome
  // A found part may hold other pages, too.
  const have = answer.receipt === null ? null : step.pagesOf(answer.receipt)
  return { kind: 'part', pages: have ?? pages, service, ...answer }
}
