import type { Stoppable } from '#src/ports/stoppable.ts'
import type { IngestPipeline } from './pipeline.ts'

/** Longest that jobs of other processes wait for a process that adds none. */
const LATEST_START_MS = 500

/**
 * Takes jobs from the first that this process adds, or some time later, or at once. A run with nothing to do has ended by
 * then, without the connections and the modules of a worker.
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
