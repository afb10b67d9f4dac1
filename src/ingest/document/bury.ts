import type { Failure } from '#src/document/failure.ts'
import type { ContentHash, RecipeHash, SourceKey, Version } from '#src/document/ids.ts'
import { type DeadLetter, type PieceRecord, RECORD_SCHEMA } from '#src/document/record.ts'
import type { DocumentDeps } from './deps.ts'
import type { Delivery, GiveUpReason } from '#src/ports/queue.ts'
import { RetryingDeadLetters, retryFor } from './retrying-store.ts'

export interface Burial {
  readonly key: SourceKey
  readonly version: Version
  readonly recipeHash: RecipeHash
  readonly contentHash: ContentHash | null
  /** Undefined if this attempt did not reach them. */
  readonly pieces?: readonly PieceRecord[] | undefined
  readonly failure: Failure
  readonly attempts: number
  /** Milliseconds until the document failed. */
  readonly durationMs: number
}

type BuryDeps = Pick<DocumentDeps, 'run'> & {
  readonly stores: Pick<DocumentDeps['stores'], 'owner' | 'deadLetters' | 'ledger'>
}

/** Ends a document as failed: writes the dead letter to the store, then the ledger, then emits the event. */
export async function bury(burial: Burial, deps: BuryDeps): Promise<void> {
  const { key, version, recipeHash, failure } = burial
  const at = new Date(deps.run.clock.wall()).toISOString()
  const earlier = await deps.stores.deadLetters.read(key)
  const before = earlier?.version === version ? earlier : null
  const pieces = burial.pieces ?? before?.pieces
  const letter: DeadLetter = {
    schema: RECORD_SCHEMA,
    source: deps.stores.owner.address,
    sourceId: deps.stores.owner.id,
    key,
    version,
    contentHash: burial.contentHash,
    recipeHash,
    ...(pieces === undefined ? {} : { pieces }),
    failure,
    attempts: burial.attempts,
    firstAt: before?.firstAt ?? at,
    lastAt: at,
  }
  await deps.stores.deadLetters.bury(letter)
  const [known] = await deps.stores.ledger.read([key])
  const again = known?.outcome === 'failed' && known.version === version && known.recipeHash === recipeHash
  await deps.stores.ledger.write([[key, { version, recipeHash, outcome: 'failed' }]])
  deps.run.events.emit('document:settled', {
    key,
    outcome: 'failed',
    again,
    failure,
    problems: [],
    requestId: null,
    contentHash: burial.contentHash,
    cost: null,
    pages: null,
    grade: null,
    durationMs: burial.durationMs,
    attempts: burial.attempts,
    wasPending: known?.outcome === 'pending',
  })
}

/** Like `bury`, for a document without a claim: waits while the store is unavailable. */
export async function buryUnclaimed(burial: Burial, deps: DocumentDeps, signal: AbortSignal): Promise<void> {
  const { owner, ledger } = deps.stores
  const deadLetters = new RetryingDeadLetters(deps.stores.deadLetters, retryFor(burial.key, deps, signal))
  await bury(burial, { run: deps.run, stores: { owner, ledger, deadLetters } })
}

/** Ends a document that reached no verdict. A dead letter lists the cause, so it is never silently dropped. */
export async function giveUpDelivery(
  delivery: Delivery,
  reason: GiveUpReason,
  deps: DocumentDeps,
  signal: AbortSignal,
): Promise<void> {
  const { job, attempt } = delivery
  await buryUnclaimed(
    {
      key: job.key,
      version: job.version,
      recipeHash: job.recipeHash,
      contentHash: null,
      failure: failureOf(reason),
      attempts: attempt,
      durationMs: deps.run.clock.shared() - job.queuedAt,
    },
    deps,
    signal,
  )
}

function failureOf(reason: GiveUpReason): Failure {
  if (reason.kind === 'deadly') {
    return { code: 'internal', stage: 'parse', message: `${reason.times} workers died while processing this document` }
  }
  const { error } = reason
  return { code: 'internal', stage: 'parse', message: error instanceof Error ? error.message : String(error) }
}
