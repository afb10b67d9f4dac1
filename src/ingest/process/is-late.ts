import type { DocumentJob } from '#src/ports/queue.ts'
import type { IngestDeps } from '../deps.ts'

/** Whether a document has been in the queue for longer than its deadline, by the clock that its job was dated with. */
export function isLate(
  { queuedAt }: Pick<DocumentJob, 'queuedAt'>,
  { clock, deadlineMs }: Pick<IngestDeps, 'clock' | 'deadlineMs'>,
): boolean {
  return clock.shared() - queuedAt > deadlineMs
}
