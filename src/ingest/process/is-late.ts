import type { Clock } from '#src/ports/clock.ts'
import type { DocumentJob } from '#src/ports/queue.ts'

/** Whether a document has been in the queue for longer than its deadline, by the clock that its job was dated with. */
export function isLate(
  { queuedAt }: Pick<DocumentJob, 'queuedAt'>,
  { clock, deadlineMs }: { readonly clock: Clock; readonly deadlineMs: number },
): boolean {
  return clock.shared() - queuedAt > deadlineMs
}
