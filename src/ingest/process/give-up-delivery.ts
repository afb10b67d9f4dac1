import type { Failure } from '#src/document/failure.ts'
import type { Delivery, GiveUpReason } from '#src/ports/queue.ts'
import { bury } from './bury.ts'
import type { SettleDeps, StorePatience } from './deps.ts'
import { retryingStore } from './retrying-store.ts'

/** Ends a document that never came to a verdict of its own: listed with what happened, never silently dropped. */
export async function giveUpDelivery(
  delivery: Delivery,
  reason: GiveUpReason,
  deps: SettleDeps & StorePatience,
  signal: AbortSignal,
): Promise<void> {
  const { job, attempt } = delivery
  await bury(
    {
      key: job.key,
      version: job.version,
      recipeHash: job.recipeHash,
      contentHash: null,
      failure: failureOf(reason),
      attempts: attempt,
      durationMs: deps.clock.shared() - job.queuedAt,
    },
    { ...deps, store: retryingStore(deps.store, job.key, deps, signal) },
  )
}

function failureOf(reason: GiveUpReason): Failure {
  if (reason.kind === 'deadly') {
    return { code: 'internal', stage: 'parse', message: `${reason.times} workers died while they had this document` }
  }
  const { error } = reason
  return { code: 'internal', stage: 'parse', message: error instanceof Error ? error.message : String(error) }
}
