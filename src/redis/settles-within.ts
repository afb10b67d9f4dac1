import { setTimeout as sleep } from 'node:timers/promises'

/** Whether `promise` settles, either way, within `ms`. Leaves no timer behind. */
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
