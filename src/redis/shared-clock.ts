import type { RedisConnection } from './connection.ts'

/**
 * Epoch milliseconds by Redis's clock: read once, then advanced by the monotonic clock of this process. All processes
 * on one Redis agree on it, for any wall clock, and a change of a wall clock does not affect it.
 */
export async function sharedClock(connection: RedisConnection): Promise<() => number> {
  const [seconds, microseconds] = await connection.time()
  const ahead = Number(seconds) * 1_000 + Number(microseconds) / 1_000 - performance.now()
  return () => Math.round(ahead + performance.now())
}
