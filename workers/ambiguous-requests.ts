import { ProcessLease } from '#src/ledger/process-lease.ts'
import { type Intent, RedisIntents } from '#src/ledger/redis-intents.ts'
import type { RedisConnection } from '#src/redis/connection.ts'
import { sharedClock } from '#src/redis/shared-clock.ts'

/** Ambiguous requests of dead processes, for a process that only reads. */
export async function ambiguousRequests(connection: RedisConnection, pipeline: string): Promise<readonly Intent[]> {
  await using lease = await ProcessLease.open({ connection, pipeline })
  const intents = await new RedisIntents({ connection, pipeline, lease, now: await sharedClock(connection) }).list()
  return intents.filter(({ state }) => state === 'ambiguous')
}
