import { PASSTHROUGH } from '#src/client/passthrough.ts'
import { missingOutputs } from '#src/client/missing-outputs.ts'
import { extensionOf, type Extensions } from '@sluice/contract'
import { namedPages } from '#src/document/page-list.ts'
import { StoreUnusable } from '#src/document/store-unusable.ts'
import type { SourceKey } from '#src/document/ids.ts'
import type { LedgerEntry, Settled } from '#src/document/ledger-entry.ts'
import { type DocumentRecord, type RecordedGrade, RECORD_SCHEMA } from '#src/document/record.ts'
import type { JobVerdict } from '#src/ports/queue.ts'
import type { DocumentDeps, Stores } from './deps.ts'
import { FINISH, postpone } from './purchase.ts'
import type { DocumentAnswer } from './obtain-answer.ts'
import { describeFile } from './rederive.ts'
import { markOverwrittenPending } from './disagreement.ts'
import type { ReadWork } from './work.ts'

/**
 * The delivery may be stale: another worker then has the job. Otherwise this job returns, and its worker makes the
 * document again.
 */
const OVERWRITTEN = postpone(0, 'this commit replaced a later version of the document, which is processed again')

/**
 * Step 5: derives the outputs from the answer. The record is committed last, and the ledger follows the store (Law 4).
 */
export async function commitAnswer(work: ReadWork, answer: DocumentAnswer, deps: DocumentDeps): Promise<JobVerdict> {
  const { key } = work.job
  const files = deps.policy.render(answer.reading.data, key)
  const record = { ...recordOf(work, answer, deps), files: [...files].map(describeFile) }
  const lost = answersLostWith(answer)
  try {
    await deps.stores.documents.commit(record, files)
  } catch (error) {
    if (error instanceof StoreUnusable)
      for (let count = 0; count < lost; count++) deps.run.events.emit('answer:lost', { key, error })
    throw error
  }
  deps.run.events.emit('document:committed', { key, contentHash: record.contentHash, requestId: record.requestId })
  if (record.spans.dropped > 0) deps.run.events.emit('spans:dropped', { key, count: record.spans.dropped })
  return settle(work, record, deps)
}

/**
 * Number of paid answers stored only as these outputs. With zero data retention they have neither receipt nor spool.
 */
function answersLostWith({ receipt, pieces, cost }: DocumentAnswer): number {
  if (cost.basis === 'saved') return 0
  return (pieces ?? [{ receipt }]).filter((one) => one.receipt === null).length
}

/** Ends a document that was already done: nothing is written to the store, and nothing was paid. */
export async function settleRecorded(work: ReadWork, record: DocumentRecord, deps: DocumentDeps): Promise<JobVerdict> {
  return settle(work, { ...record, cost: { credits: 0, basis: 'saved' } }, deps)
}

async function settle(work: ReadWork, record: DocumentRecord, deps: DocumentDeps): Promise<JobVerdict> {
  const { key } = record
  const { version, recipeHash, outcome, parser } = record
  const entry = { version, recipeHash, outcome, isLocal: parser?.class === 'embedded' }
  const sameVersion = record.version === work.job.version
  const written = sameVersion ? deps.stores.ledger.settle(key, entry) : await settleOther(key, entry, deps.stores)
  // Sent together and executed in this order: the ledger has the outcome before another worker may claim the document.
  const [settled] = await Promise.all([written, work.claim.release()])
  deps.run.events.emit('document:settled', {
    key,
    outcome: record.outcome,
    again: settled === 'again' || settled === 'other-version',
    failure: null,
    problems: record.problems,
    requestId: record.requestId,
    contentHash: record.contentHash,
    cost: record.cost,
    pages: record.pages,
    grade: record.grade?.grade ?? null,
    durationMs: deps.run.clock.monotonic() - work.begunMs,
    attempts: work.attempt,
  })
  return settled === 'other-version' && (await markOverwrittenPending(key, deps.stores)) ? OVERWRITTEN : FINISH
}

/** Ends a job of an earlier version: the job of this version may have ended the document before. */
async function settleOther(key: SourceKey, entry: LedgerEntry, { ledger }: Stores): Promise<Settled> {
  const settled = await ledger.settle(key, entry)
  if (settled !== 'other-version') return settled
  await ledger.write([[key, entry]])
  return 'ended'
}

function recordOf(
  work: ReadWork,
  { reading, receipt, parser, pieces, route, requestId, cost }: DocumentAnswer,
  deps: DocumentDeps,
): Omit<DocumentRecord, 'files'> {
  const grade = recordedGrade(reading.extensions)
  const wanted = {
    options: work.recipe.options,
    isPdf: extensionOf(work.job.key) === 'pdf',
    credits: parser.class === 'embedded' ? 0 : (reading.creditsReported ?? 0),
  }
  const problems = [
    ...reading.problems,
    ...(parser.class === PASSTHROUGH.class ? [] : missingOutputs(reading.data, wanted)),
    ...gradeProblems(grade, deps.policy.minGrade),
  ]
  const address = deps.stores.source.pageAddressOf?.(work.job.key)
  const metadata = { ...(address === undefined ? {} : { address }), ...reading.metadata }
  return {
    schema: RECORD_SCHEMA,
    source: deps.stores.owner.address,
    sourceId: deps.stores.owner.id,
    key: work.job.key,
    version: work.version,
    contentHash: work.read.contentHash,
    bytes: work.read.bytes,
    ...(Object.keys(metadata).length === 0 ? {} : { metadata }),
    recipe: work.recipe.canonical,
    recipeHash: work.recipe.hash,
    receipt,
    ...(pieces === undefined ? {} : { pieces }),
    ...(route === undefined ? {} : { route }),
    outcome: problems.length === 0 ? 'done' : 'partial',
    problems,
    pages: reading.pages,
    spans: reading.spans,
    ...(grade === null ? {} : { grade }),
    cost,
    requestId: requestId ?? reading.requestId,
    service: parser.origin,
    parser,
    attempts: work.attempt,
    startedAt: new Date(work.startedAt).toISOString(),
    finishedAt: new Date(deps.run.clock.wall()).toISOString(),
    expiring: reading.expiring,
  }
}

/** Part of an answer's grades for the record; null without grades. */
function recordedGrade(extensions: Extensions | null): RecordedGrade | null {
  if (extensions?.grade === undefined || extensions.grade === null) return null
  const known = new Map((extensions.pageGrades ?? []).map((page) => [page.pageNumber, page]))
  const pages = Array.from({ length: Math.max(...known.keys()) }, (_, index) => known.get(index + 1) ?? null)
  return {
    ...extensions.grade,
    pages: pages.map((page) => page?.grade ?? null),
    expected: pages.map((page) => page?.expected ?? null),
  }
}

/** Problem of a document with a page below the requested lowest grade, 0 to 1. Such a document is partial. */
function gradeProblems(grade: RecordedGrade | null, minGrade: number | undefined): string[] {
  if (grade === null || minGrade === undefined) return []
  const below = grade.pages.flatMap((page, index) => (page !== null && page < minGrade ? [index + 1] : []))
  return below.length === 0 ? [] : [`${namedPages(below)} graded below ${minGrade}`]
}
