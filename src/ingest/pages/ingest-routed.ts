import type { AnswerReading } from '#src/client/read-answer.ts'
import type { Recipe } from '#src/client/recipe.ts'
import { type ReceiptId, receiptId } from '#src/document/ids.ts'
import type { Cost, RouteRecord } from '#src/document/record.ts'
import { type PageOutlook, pagesBelow } from '#src/route/choose-pages.ts'
import { predictPage } from '#src/route/predict-page.ts'
import { UNCOUNTED_READING } from '../document/read-window.ts'
import { buyAnswer } from '../document/buy-answer.ts'
import type { DocumentDeps, RoutedTiers, Tier, Tiers } from '../document/deps.ts'
import { ingestPieces } from './ingest-pieces.ts'
import {
  answerOf,
  type DocumentAnswer,
  findKept,
  type NotParsed,
  type Outcome,
  type Parsed,
  reusedAnswer,
} from '../document/obtain-answer.ts'
import { cutterFor } from '../document/preflight.ts'
import type { Failed } from '../document/purchase.ts'
import { accepting, serviceFor } from '../document/tiers.ts'
import type { Work } from '../document/work.ts'
import { routePages } from './route-pages.ts'
import { serviceStep } from './service-answers.ts'

/**
 * Steps 2 to 4 for a document with routing by page. The engine reads it, the worker buys the badly read pages as one
 * small PDF, and both become one answer. Each answer is a separate receipt, found again after any crash. The engine's
 * is under the document's hash, those of the service under that hash and their pages.
 */
export async function ingestRouted(
  routed: Work,
  answers: Recipe,
  { main, routed: tiers }: Tiers & { readonly routed: RoutedTiers },
  deps: DocumentDeps,
  signal: AbortSignal,
): Promise<Outcome> {
  const work = { ...routed, recipe: answers }
  const step = serviceStep(work, answers, tiers)
  const { terms } = tiers
  const service = serviceFor(work.job.key, { main, routed: tiers })
  const paid = { ...work.tier.parsers, own: service.parsers.own, acceptLocal: false, routes: undefined }
  // The document's slot in the read window is at the engine's gate. Requests to the service wait at their own gate.
  const forService = { ...work, tier: accepting(service, paid), reading: UNCOUNTED_READING }
  const whole = await findKept(forService, deps.stores, signal)
  if (whole !== null) return { kind: 'kept', receipt: whole }
  const local = await readLocally({ ...work, tier: engineOnly(tiers.local) }, deps, signal)
  if (local.kind === 'later') return local
  if (local.kind === 'failed') {
    // A service may read a document that the engine refuses permanently. A transient failure gets a retry instead of a
    // purchase.
    if (local.countsUntil !== 'final') return local
    return parseWhole(forService, { ...terms, whole: 'local-failed', pages: [] }, deps, signal)
  }
  const { answer } = local
  const pages = outlookOf(answer.reading)
  if (pages !== null && isPageable(work, answer.reading)) {
    return routePages(forService, answer, pages, { step, tiers }, deps, signal)
  }
  const isGood = pages === null ? answer.reading.problems.length === 0 : pagesBelow(terms, pages).length === 0
  if (isGood) return { kind: 'parsed', answer: { ...answer, route: { ...terms, whole: 'good', pages: [] } } }
  const bought = await parseWhole(forService, { ...terms, whole: 'below-floor', pages: [] }, deps, signal)
  return bought.kind === 'failed' ? insteadOf(bought, answer, tiers) : bought
}

/** The service failed, too: the engine's answer stays, with that problem. */
function insteadOf(failed: Failed, local: DocumentAnswer, { terms }: RoutedTiers): Outcome {
  const problem = `the engine's text stays, because the service failed: ${failed.failure.message}`
  const reading = { ...local.reading, problems: [...local.reading.problems, problem] }
  const route: RouteRecord = { ...terms, whole: 'service-failed', pages: [] }
  return { kind: 'incomplete', answer: { ...local, reading, route }, failed }
}

/** The engine charges nothing, whatever its answer reports. */
const FREE: Cost = { credits: 0, basis: 'reported' }

/**
 * Accepts only an answer of the present engine: its grades decide the purchases, and another reading is free. An answer
 * of a service, possibly bought by a copy, gives no evidence about the engine's reading.
 */
const engineOnly = (local: Tier): Tier =>
  accepting(local, { ...local.parsers, upgrade: true, onlyOwn: true, routes: undefined })

/** The embedded engine's answer, from its receipt or a new reading. */
async function readLocally(work: Work, deps: DocumentDeps, signal: AbortSignal): Promise<Parsed | NotParsed> {
  const cutter = cutterFor(work, deps.policy)
  if (cutter !== null) return ingestPieces(work, cutter, deps, signal)
  const kept = await findKept(work, deps.stores, signal)
  if (kept !== null) return { kind: 'parsed', answer: await reusedAnswer(kept, work, deps) }
  const outcome = await answerOf(await buyAnswer(work, idOf(work), deps, signal), work, deps)
  if (outcome.kind !== 'parsed') return outcome
  const { answer } = outcome
  return { kind: 'parsed', answer: answer.cost.basis === 'saved' ? answer : { ...answer, cost: FREE } }
}

/**
 * Buys the answer for a complete document: the engine could not read it, or a requested format belongs to no single
 * page.
 */
async function parseWhole(work: Work, route: RouteRecord, deps: DocumentDeps, signal: AbortSignal): Promise<Outcome> {
  const cutter = cutterFor(work, deps.policy)
  if (cutter !== null) return withRoute(await ingestPieces(work, cutter, deps, signal), route)
  const purchase = await buyAnswer(work, idOf(work), deps, signal)
  return purchase.kind === 'kept' ? purchase : withRoute(await answerOf(purchase, work, deps), route)
}

const idOf = ({ read, recipe }: Work): ReceiptId => receiptId(read.contentHash, recipe.hash)

const withRoute = (outcome: Parsed | NotParsed, route: RouteRecord): Parsed | NotParsed =>
  outcome.kind === 'parsed' ? { kind: 'parsed', answer: { ...outcome.answer, route } } : outcome

/** Expected quality of each page in the engine's reading; null for a document without graded pages. */
function outlookOf({ data, extensions }: AnswerReading): readonly PageOutlook[] | null {
  const grades = extensions?.pageGrades ?? null
  if (grades === null || data.pages === undefined || data.pages === null) return null
  const engine = extensions?.engine ?? 'unknown'
  const known = new Map(grades.map((page) => [page.pageNumber, predictPage(page, engine).expectedQuality]))
  return data.pages.map(({ pageNumber }) => ({ pageNumber, quality: known.get(pageNumber) ?? null }))
}

/** Formats with a separate part for each page. A summary, for example, covers the complete document. */
const BY_PAGE: ReadonlySet<string> = new Set(['markdown', 'links', 'images'])

/** True if single pages of a document can be bought and put back: its answer consists of its pages alone. */
function isPageable({ extension, address, recipe }: Work, { data }: AnswerReading): boolean {
  const { parsers, formats } = recipe.options
  if (extension !== 'pdf' || address !== null || !Array.isArray(data.blocks)) return false
  return parsers.length > 0 && formats.every(({ type }) => BY_PAGE.has(type))
}
