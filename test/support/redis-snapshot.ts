import type { RedisConnection } from '#src/redis/connection.ts'

/** Puts everything in Redis back as it was, in one step; what came later is gone. */
export type Rollback = () => Promise<void>

/**
 * Remembers everything that a single Redis holds, as an operator's snapshot does. Keys that expire do so at the moment
 * when they would have.
 */
export async function takeSnapshot(redis: RedisConnection): Promise<Rollback> {
  const keys = await redis.keys('*')
  const pipeline = redis.pipeline()
  for (const key of keys) pipeline.dumpBuffer(key).pexpiretime(key)
  const answers = ((await pipeline.exec()) ?? []).map(([error, answer]) => {
    if (error !== null) throw error
    return answer
  })
  return async () => {
    const transaction = redis.multi().flushall()
    for (const [at, key] of keys.entries()) {
      const value = answers[2 * at] as Buffer | null
      const expiresAt = answers[2 * at + 1] as number
      if (value === null || (expiresAt > 0 && expiresAt <= Date.now())) continue
      transaction.restore(key, Math.max(0, expiresAt), value, 'ABSTTL')
    }
    await transaction.exec()
  }
}
