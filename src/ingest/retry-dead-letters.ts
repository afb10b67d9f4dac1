import { extensionOf } from '#src/document/formats.ts'
import type { DeadLetter } from '#src/document/record.ts'
import type { DocumentJob, LedgerEntry } from '#src/ports.ts'
import { batchesOf } from './batches.ts'
import type { ScanDeps } from './deps.ts'
import { backlogBelowLimit } from './scan-source.ts'

const BATCH = 500

/**
 * Enqueues exactly the documents of the dead letters that `wanted` takes, as pending, with all their attempts. A letter
 * stays until its document comes out well, or is replaced by the next failure.
 */
export async function retryDeadLetters(
  wanted: (letter: DeadLetter) => boolean,
  deps: ScanDeps,
  signal: AbortSignal,
): Promise<number> {
  let enqueued = 0
  for await (const letters of batchesOf(deps.store.listDeadLetters(signal), BATCH)) {
    await backlogBelowLimit(deps, signal)
    const jobs = letters.filter(wanted).flatMap((letter) => jobOf(letter, deps))
    await deps.ledger.write(jobs.map((job) => [job.key, pending(job)] as const))
    await deps.queue.add(jobs)
    enqueued += jobs.length
  }
  return enqueued
}

/** None for a file that no service takes: a retry could only say so again. */
function jobOf({ key, version }: DeadLetter, deps: ScanDeps): DocumentJob[] {
  const extension = extensionOf(key)
  if (extension === null) return []
  const recipeHash = deps.recipeFor(key, extension).hash
  return [{ schema: 1, key, version, recipeHash, bytes: 0, queuedAt: deps.now() }]
}

const pending = ({ version, recipeHash }: DocumentJob): LedgerEntry => ({ version, recipeHash, outcome: 'pending' })
