import { receiptId } from '#src/document/ids.ts'
import type { DeadLetter } from '#src/document/record.ts'
import type { DocumentJob } from '#src/ports/queue.ts'
import type { LedgerEntry } from '#src/document/ledger-entry.ts'
import { belongsTo } from '#src/document/store-manifest.ts'
import { batchesOf } from '#src/kit/batched-stream.ts'
import type { Intents } from '#src/ports/ledger.ts'
import type { ScanDeps } from '../document/deps.ts'
import { handlingOf } from '../document/preflight.ts'
import { backlogBelowLimit } from './scan-source.ts'

const BATCH = 500

export interface RetryDeps extends ScanDeps {
  readonly intents: Intents
}

/**
 * Enqueues exactly the documents of the dead letters that `wanted` accepts, as pending, with all their attempts. A
 * letter stays until its document succeeds, or the next failure replaces it.
 */
export async function retryDeadLetters(
  wanted: (letter: DeadLetter) => boolean,
  deps: RetryDeps,
  signal: AbortSignal,
): Promise<number> {
  let enqueued = 0
  for await (const letters of batchesOf(deps.stores.deadLetters.list(signal), BATCH)) {
    await backlogBelowLimit(deps, signal)
    const chosen = letters.filter((letter) => belongsTo(letter, deps.stores.owner) && wanted(letter))
    for (const letter of chosen) await releaseIntents(letter, deps)
    const jobs = chosen.flatMap((letter) => jobOf(letter, deps))
    await deps.stores.ledger.write(jobs.map((job) => [job.key, pending(job)] as const))
    await deps.queue.add(jobs)
    for (const { key, queuedAt } of jobs) deps.run.events.emit('document:enqueued', { key, queuedAt })
    enqueued += jobs.length
  }
  return enqueued
}

/** Releases documents held because of a request in doubt: a retry explicitly asks for that. */
async function releaseIntents(
  { key, failure, contentHash, recipeHash }: DeadLetter,
  { intents }: RetryDeps,
): Promise<void> {
  if (failure.code !== 'ambiguous' || contentHash === null || recipeHash === null) return
  await intents.release(receiptId(contentHash, recipeHash), key)
}

/** Empty for a file that no service accepts: a retry would only repeat that result. */
function jobOf({ key, version }: DeadLetter, deps: ScanDeps): DocumentJob[] {
  const handling = handlingOf(key, deps.policy)
  if (handling === null) return []
  const recipeHash = handling.recipe.hash
  return [{ schema: 1, key, version, recipeHash, bytes: 0, queuedAt: deps.run.clock.shared() }]
}

const pending = ({ version, recipeHash }: DocumentJob): LedgerEntry => ({ version, recipeHash, outcome: 'pending' })
