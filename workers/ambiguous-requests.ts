import { ProcessLease } from '#src/ledger/process-lease.ts'
import { type Intent, RedisIntents } from '#src/ledger/redis-intents.ts'
import type { RedisConnection } from '#src/redis/connection.ts'
import { sharedClock } from '#src/redis/shared-clock.ts'

/** Requests whose process died with them, as a process sees it that only looks. */
export async function ambiguousRequests(connection: RedisConnection, pipeline: string): Promise<readonly Intent[]> {
  const lease = await ProcessLease.open({ connection, pipeline })
  try {
    const intents = await new RedisIntents({ connection, pipeline, lease, now: await sharedClock(connection) }).list()
    return intents.filter(({ state }) => state === 'ambiguous')
  } finally {
    await lease.close()
  }
}
