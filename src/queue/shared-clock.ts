import type { RedisConnection } from './connection.ts'

/**
 * Epoch milliseconds as Redis counts them: read once, and from then on counted by this process' own steady clock. All
 * processes on one Redis agree on it, whatever their machines show, and setting a machine's clock does not move it.
 */
export async function sharedClock(connection: RedisConnection): Promise<() => number> {
  const [seconds, microseconds] = await connection.time()
  const ahead = Number(seconds) * 1_000 + Number(microseconds) / 1_000 - performance.now()
  return () => Math.round(ahead + performance.now())
}
