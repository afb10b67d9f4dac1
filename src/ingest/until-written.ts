import { setTimeout as sleep } from 'node:timers/promises'
import type { SourceKey } from '#src/document/ids.ts'
import { StoreUnusable } from '#src/document/store-unusable.ts'
import type { IngestDeps } from './deps.ts'

const FIRST_PAUSE_MS = 250
const LONGEST_PAUSE_MS = 10_000

export type StorePatience = Pick<IngestDeps, 'events' | 'halt' | 'storePatienceMs'>

/**
 * Writes to a store, however long its disk is full: what is to be written is held in memory and tried again, and every
 * worker that comes to this point waits in the same way, so that nothing more is bought. When `storePatienceMs` is
 * over the batch is halted and the error thrown, as it is after one more try when `signal` aborts; the intent of a
 * request whose answer was not kept then stays, and counts it as ambiguous. What is wrong with this document alone is
 * thrown at once.
 */
export async function untilWritten<T>(
  write: () => Promise<T>,
  key: SourceKey,
  deps: StorePatience,
  signal: AbortSignal,
): Promise<T> {
  // Not by the clock on the wall: one that is set forward must not end the patience.
  const startedAt = performance.now()
  for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(pauseMs * 2, LONGEST_PAUSE_MS)) {
    const isLast = signal.aborted
    try {
      return await write()
    } catch (error) {
      deps.events.emit('stage:failed', { key, stage: 'commit', error })
      if (!(error instanceof StoreUnusable)) throw error
      if (performance.now() - startedAt > deps.storePatienceMs) {
        deps.halt('store', `the output store cannot be written: ${error.message}`)
        throw error
      }
      if (isLast) throw error
      // Where the worker is cut the pause ends, and it is tried once more.
      await sleep(pauseMs, undefined, { signal }).catch(() => undefined)
    }
  }
}
