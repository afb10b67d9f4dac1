import { type GateOptions, openGate } from '../src/open-gate.ts'
import type { RedisGate } from '../src/redis-gate.ts'
import type { Permit } from '../src/permit.ts'
import type { TestRedis } from '../../../test/support/redis.ts'

export const signal = new AbortController().signal
let digests = 0

/** A gate that no other test shares, unless it is given a key. A window of 600 ms makes every pause a hundredth. */
export function openOn(server: TestRedis, options: Partial<GateOptions> = {}): Promise<RedisGate> {
  digests += 1
  return openGate({
    redis: server.connection,
    keyDigest: `test-${digests}`,
    windowMs: 600,
    patienceMs: 2_000,
    ...options,
  })
}

export async function permit(gate: RedisGate, key = 'a.pdf'): Promise<Permit> {
  const got = await gate.acquire({ key }, signal)
  if (got.kind !== 'permit') throw new Error(`no permit: ${JSON.stringify(got)}`)
  return got
}
