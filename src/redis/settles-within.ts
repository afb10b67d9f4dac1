import { setTimeout as sleep } from 'node:timers/promises'

/** True if `promise` resolves or rejects within `ms`. Leaves no timer. */
export async function settlesWithin(promise: Promise<unknown>, ms: number): Promise<boolean> {
  const timer = new AbortController()
  const settled = promise.then(
    () => true,
    () => true,
  )
  try {
    return await Promise.race([settled, sleep(ms, false, { signal: timer.signal })])
  } finally {
    timer.abort()
  }
}
