import { RedisClaims } from '#src/ledger/redis-claims.ts'
import { RedisIntents } from '#src/ledger/redis-intents.ts'
import { ProcessLease } from '#src/ledger/process-lease.ts'
import type { RedisConnection } from '#src/redis/connection.ts'
import { afterEach } from 'vitest'

/** Opens what one process has of its own; it counts as alive until its connection is cut, or the test has ended. */
export function leasedProcesses(connectionOfTest: () => RedisConnection, leaseMs: number) {
  const leases: ProcessLease[] = []
  let epochs = 0
  afterEach(async () => {
    for (const lease of leases.splice(0)) await lease[Symbol.asyncDispose]().catch(() => undefined)
  })
  return async (pipeline: string, connection: RedisConnection = connectionOfTest()) => {
    const lease = await ProcessLease.open({ connection, pipeline, leaseMs })
    leases.push(lease)
    return {
      lease,
      claims: new RedisClaims({ connection, pipeline, lease, raiseEpoch: async () => (epochs += 1) }),
      intents: new RedisIntents({ connection, pipeline, lease, now: Date.now }),
    }
  }
}
