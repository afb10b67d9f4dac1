import type { RedisConnection } from './connection.ts'

/**
 * Epoch milliseconds as Redis counts them: read once, and from then on counted by the monotonic clock of this process.
 * All processes on one Redis agree on it, whatever their wall clocks show, and setting a wall clock does not move it.
 */
export async function sharedClock(connection: RedisConnection): Promise<() => number> {
  const [seconds, microseconds] = await connection.time()
  const ahead = Number(seconds) * 1_000 + Number(microseconds) / 1_000 - performance.now()
  return () => Math.round(ahead + performance.now())
}
