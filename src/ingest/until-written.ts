import { setTimeout as sleep } from 'node:timers/promises'
import type { SourceKey } from '#src/document/ids.ts'
import type { IngestDeps } from './deps.ts'

const FIRST_PAUSE_MS = 250
const LONGEST_PAUSE_MS = 10_000

/**
 * Writes an answer that was paid for, however long the disk is full: it is held in memory and tried again, and every
 * worker that comes to this point waits in the same way, so that nothing more is bought. When `storePatienceMs` is
 * over the batch is halted and the error thrown, as it is after one more try when `signal` aborts; the intent of the
 * request then stays, and counts it as ambiguous.
 */
export async function untilWritten(
  write: () => Promise<void>,
  key: SourceKey,
  deps: Pick<IngestDeps, 'events' | 'halt' | 'now' | 'storePatienceMs'>,
  signal: AbortSignal,
): Promise<void> {
  const startedAt = deps.now()
  for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(pauseMs * 2, LONGEST_PAUSE_MS)) {
    const isLast = signal.aborted
    try {
      return await write()
    } catch (error) {
      deps.events.emit('stage:failed', { key, stage: 'commit', error })
      if (deps.now() - startedAt > deps.storePatienceMs) {
        deps.halt('store', `the output store cannot be written: ${error instanceof Error ? error.message : 'unknown'}`)
        throw error
      }
      if (isLast) throw error
      // Where the worker is cut the pause ends, and it is tried once more.
      await sleep(pauseMs, undefined, { signal }).catch(() => undefined)
    }
  }
}
