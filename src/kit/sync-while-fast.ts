/** Threshold of a slow call: a file system that answers from its cache takes 4 µs. */
const SLOW_MS = 0.5

/** Number of calls that run in threads after a slow one. */
const CALLS_AFTER_SLOW = 100

type SyncOrThread = <T>(atOnce: () => T, inThread: () => Promise<T>) => T | Promise<T>

/**
 * Calls to one file system, synchronous while its cache answers: a quarter of the time of a handover to a thread. After
 * a slow call (a cold disk, a network) the next ones run concurrently in threads. At most one call in a hundred
 * therefore blocks the process.
 */
export function syncWhileFast(): SyncOrThread {
  /** Number of further calls to run in threads. */
  let inThreads = 0
  return (atOnce, inThread) => {
    if (inThreads > 0) {
      inThreads -= 1
      return inThread()
    }
    const askedAt = performance.now()
    const answer = atOnce()
    if (performance.now() - askedAt > SLOW_MS) inThreads = CALLS_AFTER_SLOW
    return answer
  }
}
