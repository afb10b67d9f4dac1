import { hash } from 'node:crypto'
import type { JobsOptions } from 'bullmq'
import type { DocumentJob } from '#src/ports/queue.ts'

/** The BullMQ queue of a pipeline is `<redisPrefix(pipeline)>:documents`. */
export const QUEUE_NAME = 'documents'

/** Name of the only kind of job. */
export const JOB_NAME = 'ingest'

/** Sluice does not read the queue's event stream; BullMQ's default of 10,000 events would cost half a megabyte. */
export const EVENT_STREAM_LENGTH = 100

/** Backoff type that leads to our `backoffStrategy`: the delay comes with the error, see `postponement.ts`. */
const BACKOFF_TYPE = 'postponed'

/**
 * When a document has used up its attempts is decided by `src/ingest/`, with a verdict. BullMQ's own limit must never
 * come first: it would end a job without a word to us.
 */
export const JOB_OPTIONS: JobsOptions = {
  attempts: 1_000_000,
  backoff: { type: BACKOFF_TYPE },
  stackTraceLimit: 0,
  removeOnComplete: true,
  removeOnFail: true,
}

/**
 * The same document, version and recipe have the same id, so adding a batch twice is harmless: BullMQ leaves a job
 * that waits or runs as it is. An id may hold no colon and may not be a number.
 */
export function jobId(job: Pick<DocumentJob, 'key' | 'version' | 'recipeHash'>): string {
  const name = JSON.stringify([job.key, job.version, job.recipeHash])
  return `d${hash('sha256', name, 'base64url').slice(0, 20)}`
}
