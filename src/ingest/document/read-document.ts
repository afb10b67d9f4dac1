import { assertNever } from '#src/kit/assert-never.ts'
import { textKindOf } from '#src/client/texts/text-kind.ts'
import { DocumentChanged } from '#src/document/document-changed.ts'
import type { Failure } from '#src/document/failure.ts'
import type { JobVerdict } from '#src/ports/queue.ts'
import type { OpenedDocument } from '#src/ports/source.ts'
import type { DocumentDeps, Run } from './deps.ts'
import { giveUp, retryChanged } from './give-up.ts'
import { type Handling, handlingOf, refuseByContent, refuseByListing } from './preflight.ts'
import { FINISH, postpone } from './purchase.ts'
import { type ReadDocument, readOnce } from './read-once.ts'
import { skipQueued } from './skip-file.ts'
import type { Handback } from './source-view.ts'
import { isLate, type ReadWork } from './work.ts'

/** A document before its bytes are read. */
export type Begun = Omit<ReadWork, 'read' | 'recipe'>

/** Ends a document that need not be opened; null for all others. */
export async function endUnwanted(begun: Begun, deps: DocumentDeps): Promise<JobVerdict | null> {
  const { job } = begun
  // Checked before the open: an unreadable source must not keep the document forever.
  if (isLate(job, deps)) return giveUp(begun, pastDeadline(deps.policy.deadlineMs), deps)
  const excluded = deps.run.view.obeysRules ? (deps.stores.source.skips?.(job.key) ?? null) : null
  if (excluded !== null) return skipQueued(job, { reason: excluded, version: null }, deps)
  const isText = handlingOf(job.key, deps.policy) === null && textKindOf(job.key) !== null
  return isText ? skipQueued(job, { reason: 'unsupported', version: job.version }, deps) : null
}

export interface HandledWork extends ReadWork {
  readonly handling: Handling
}

/** Step 1: reads its bytes once, for content hash, type and size. */
export async function readDocument(
  begun: Begun,
  document: OpenedDocument,
  deps: DocumentDeps,
  signal: AbortSignal,
): Promise<HandledWork | JobVerdict> {
  const { job } = begun
  const other = await deps.run.view.checkOpened(job, document.version, deps.stores, signal)
  if (other !== null) return handBack(other, deps.run)
  const handling = handlingOf(job.key, deps.policy)
  const refusal = refuseByListing(handling, document.bytes, deps.policy.cutter)
  if (refusal !== null || handling === null) return giveUp(begun, refusal ?? unsupported, deps)
  const read = await readUnchanged(document, signal)
  if (read === null) return retryChanged(begun, deps)
  const contradiction = document.address === undefined ? refuseByContent(job.key, read.head) : null
  if (contradiction !== null) return giveUp(begun, contradiction, deps, read)
  return { ...begun, read, recipe: handling.recipe, handling }
}

/** A failure of this document, or a mount of this process with other content. */
export async function endUnopened(
  work: Begun,
  failure: Failure,
  deps: DocumentDeps,
  signal: AbortSignal,
): Promise<JobVerdict> {
  if (failure.code !== 'vanished') return giveUp(work, failure, deps)
  const unseen = await deps.run.view.checkMissing(work.job, deps.stores, signal)
  switch (unseen.kind) {
    case 'vanished':
      return giveUp(work, failure, deps)
    case 'drop':
      return FINISH
    case 'again':
      return handBack(unseen, deps.run)
    default:
      return assertNever(unseen)
  }
}

function handBack({ afterMs, halt }: Handback, run: Run): JobVerdict {
  if (halt !== null) run.halt('source', halt)
  return postpone(afterMs, 'this process does not find the queued version of the document in its source')
}

/** Null if the document changed during the read: a retry reads it again, and never mixes versions. */
async function readUnchanged(document: OpenedDocument, signal: AbortSignal): Promise<ReadDocument | null> {
  try {
    return await readOnce(document, signal)
  } catch (error) {
    if (error instanceof DocumentChanged) return null
    throw error
  }
}

const unsupported: Failure = {
  code: 'unsupported_type',
  stage: 'read',
  message: 'its name does not end in a supported extension',
}
const pastDeadline = (deadlineMs: number): Failure => ({
  code: 'deadline',
  stage: 'gate',
  message: `it waited longer than the deadline of ${(deadlineMs / 3_600_000).toFixed(1)} hours (--deadline)`,
})
