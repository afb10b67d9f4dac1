import { type AnswerReading, readAnswer } from '#src/contract/read-answer.ts'
import type { ReceiptId } from '#src/document/ids.ts'
import { type Cost, type DocumentRecord, RECORD_SCHEMA } from '#src/document/record.ts'
import type { JobVerdict } from '#src/ports.ts'
import type { IngestDeps } from './deps.ts'
import { FINISH, postpone } from './job-verdicts.ts'
import { describeFile } from './rederive.ts'
import type { Work } from './work.ts'

/** How long a worker that lost its hold leaves the document to the one that has it now. */
const LOST_CLAIM_MS = 2_000

export interface CommitInput {
  readonly body: Buffer
  /** The body decoded, where somebody did that already. */
  readonly json?: Readonly<Record<string, unknown>>
  /** Null when the answer may not be kept. */
  readonly receipt: ReceiptId | null
  readonly requestId: string | null
  /** True when a receipt that was there saved the request. */
  readonly saved: boolean
}

/** Step 5: the answer becomes outputs; the record is committed last, and the ledger follows the store (Law 4). */
export async function commitAnswer(work: Work, input: CommitInput, deps: IngestDeps): Promise<JobVerdict> {
  const reading = readAnswer(input.body, deps.now(), input.json)
  const files = deps.render(reading.data)
  const record = { ...recordOf(work, input, reading, deps), files: [...files].map(describeFile) }
  if (!(await work.claim.stillHeld())) return postpone(LOST_CLAIM_MS, 'another worker took this document over')
  await deps.store.commit(record, files)
  const { key } = work.job
  const entry = { version: work.version, recipeHash: work.recipe.hash, outcome: record.outcome }
  if (work.version === work.job.version) await deps.ledger.settle(key, entry)
  else await deps.ledger.write([[key, entry]])
  if (record.spans.dropped > 0) deps.events.emit('spans:dropped', { key, count: record.spans.dropped })
  deps.events.emit('document:settled', {
    key,
    outcome: record.outcome,
    failure: null,
    problems: record.problems,
    cost: record.cost,
    pages: record.pages,
    durationMs: deps.now() - work.startedAt,
  })
  return FINISH
}

function recordOf(
  work: Work,
  input: CommitInput,
  reading: AnswerReading,
  deps: IngestDeps,
): Omit<DocumentRecord, 'files'> {
  return {
    schema: RECORD_SCHEMA,
    source: deps.source.url,
    key: work.job.key,
    version: work.version,
    contentHash: work.read.contentHash,
    bytes: work.read.bytes,
    recipe: work.recipe.canonical,
    recipeHash: work.recipe.hash,
    receipt: input.receipt,
    outcome: reading.problems.length === 0 ? 'done' : 'partial',
    problems: reading.problems,
    pages: reading.pages,
    spans: reading.spans,
    cost: costOf(work, input, reading, deps),
    requestId: input.requestId ?? reading.requestId,
    service: deps.parser.service,
    attempts: work.attempt,
    startedAt: new Date(work.startedAt).toISOString(),
    finishedAt: new Date(deps.now()).toISOString(),
    expiring: reading.expiring,
  }
}

function costOf(work: Work, input: CommitInput, reading: AnswerReading, deps: IngestDeps): Cost {
  if (input.saved) return { credits: 0, basis: 'saved' }
  if (reading.creditsReported !== null) return { credits: reading.creditsReported, basis: 'reported' }
  return { credits: deps.price(work.recipe, work.extension, reading.pages.parsed), basis: 'estimated' }
}
