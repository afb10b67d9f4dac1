import type { Failure } from '#src/document/failure.ts'
import type { Delivery } from '#src/ports/queue.ts'
import { bury } from './bury.ts'
import type { SettleDeps, StorePatience } from '../deps.ts'
import { retryingStore } from './retrying-store.ts'

/** Why the queue hands a document out no more: its workers died with it, or its handling threw each time. */
export type GiveUpReason =
  | { readonly kind: 'deadly'; readonly times: number }
  | { readonly kind: 'threw'; readonly error: unknown }

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
