import type { Stoppable } from '#src/ports/stoppable.ts'
import type { IngestPipeline } from './pipeline.ts'

/** Longest delay of jobs of other processes in a process that enqueues none. */
const LATEST_START_MS = 500

/**
 * Starts the consumer at the first job that this process enqueues, after a delay, or at once. A run without work ends
 * before the start, and saves the connections and modules of a worker.
 */
export function consumeOnceNeeded(pipeline: IngestPipeline, isNeeded: boolean): Stoppable {
  let started: Promise<Stoppable> | null = null
  let isStopped = false
  const start = async (): Promise<Stoppable> => {
    const { consumeWithSharedSlots } = await import('./consume-with-shared-slots.ts')
    return consumeWithSharedSlots(pipeline)
  }
  const needed = (): void => {
    if (!isStopped) started ??= start()
  }
  const timer = setTimeout(needed, isNeeded ? 0 : LATEST_START_MS)
  void pipeline.queue.firstAdded.then(needed)
  return {
    async stop(options) {
      isStopped = true
      clearTimeout(timer)
      await (await started)?.stop(options)
    },
  }
}
