import type { Failure } from '#src/document/failure.ts'
import type { JobVerdict } from '#src/ports/queue.ts'
import { type Burial, bury } from './bury.ts'
import type { DocumentDeps } from './deps.ts'
import { handlingOf } from './preflight.ts'
import { failed, FINISH, retryOrGiveUp } from './purchase.ts'
import type { ReadDocument } from './read-once.ts'
import type { ReadWork } from './work.ts'

type FailedWork = Pick<ReadWork, 'job' | 'attempt' | 'version' | 'begunMs'>

/** Ends a document as failed with its own failure. `known`: facts learned before. */
export async function giveUp(
  work: FailedWork,
  failure: Failure,
  deps: DocumentDeps,
  known?: Pick<ReadDocument, 'contentHash'> & Pick<Burial, 'pieces'>,
): Promise<JobVerdict> {
  await bury(
    {
      key: work.job.key,
      version: work.version,
      // Recipe of the present settings, as for a success: that of the job may come from an earlier run.
      recipeHash: handlingOf(work.job.key, deps.policy)?.recipe.hash ?? work.job.recipeHash,
      contentHash: known?.contentHash ?? null,
      pieces: known?.pieces,
      failure,
      attempts: work.attempt,
      durationMs: deps.run.clock.monotonic() - work.begunMs,
    },
    deps,
  )
  return FINISH
}

/** Retries a document that changed during the read; this uses an attempt. */
export function retryChanged(work: FailedWork, deps: DocumentDeps): Promise<JobVerdict> {
  return retryOrGiveUp(failed(changing, work.attempt), deps.run.random, (failure) => giveUp(work, failure, deps))
}

const changing: Failure = {
  code: 'changing',
  stage: 'read',
  message: 'the file kept changing while it was read; run again when nothing writes to it',
}
