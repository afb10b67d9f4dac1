import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { takeSnapshot } from '../../../test/support/redis-snapshot.ts'
import { startTestRedis, type TestRedis } from '../../../test/support/redis.ts'
import { openOn, permit, signal } from './gates.ts'
import { parsed } from './verdicts.ts'
import { until } from '../../../test/support/wait.ts'

/*
 * The promise of `RedisGate.redeclare`, however the gate works inside: Redis may forget everything, or come back as it
 * was some time ago. After a declaration of every live process, exactly the permits that those processes hold are in
 * flight.
 */

let server: TestRedis
beforeAll(async () => void (server = await startTestRedis()))
afterAll(() => server[Symbol.asyncDispose]())

describe('after Redis was emptied', () => {
  test('a held permit is in flight again, and a limit of one is not exceeded', async () => {
    await using gate = await openOn(server, { ceilings: { concurrency: 1 }, patienceMs: 1_000 })
    const held = await permit(gate)
    await server.connection.flushall()
    await gate.redeclare()
    expect((await gate.snapshot()).inFlight).toBe(1)
    expect((await gate.acquire({ key: 'b.pdf' }, signal)).kind).toBe('wait')
    await held.release(parsed())
    expect((await gate.snapshot()).inFlight).toBe(0)
    await permit(gate, 'b.pdf')
  })
})

describe('after Redis was rolled back', () => {
  test('a permit released since is no longer in flight', async () => {
    await using gate = await openOn(server, { ceilings: { concurrency: 1 } })
    const held = await permit(gate, 'a.pdf')
    const rollBack = await takeSnapshot(server.connection)
    await held.release(parsed())
    await rollBack()
    expect((await gate.snapshot()).inFlight).toBe(1)
    await gate.redeclare()
    expect((await gate.snapshot()).inFlight).toBe(0)
    await permit(gate, 'b.pdf')
  })

  test('a process declares its own permits only', async () => {
    const shared = { keyDigest: 'two of them', ceilings: { concurrency: 2 } }
    await using one = await openOn(server, shared)
    await using two = await openOn(server, shared)
    await permit(one)
    await permit(two)
    await one.redeclare()
    expect((await one.snapshot()).inFlight).toBe(2)
  })
})

test('a declaration while permits are acquired and released loses none and leaves none behind', async () => {
  await using gate = await openOn(server, { ceilings: { concurrency: 8 } })
  const declaring = new AbortController()
  const declarations = (async () => {
    while (!declaring.signal.aborted) await gate.redeclare()
  })()
  const one = async (name: number): Promise<void> => {
    const held = await gate.acquire({ key: `${name}.pdf` }, signal)
    if (held.kind !== 'permit') return one(name)
    expect((await gate.snapshot()).inFlight).toBeGreaterThan(0)
    await held.release(parsed())
  }
  await Promise.all(Array.from({ length: 200 }, (_, name) => one(name)))
  declaring.abort()
  await declarations
  expect((await gate.snapshot()).inFlight).toBe(0)
})

test('a gate declares its permits every third of the heartbeat timeout', async () => {
  await using gate = await openOn(server, { aliveMs: 300 })
  await permit(gate)
  await server.connection.flushall()
  await until('it has declared its permit', 5_000, async () => (await gate.snapshot()).inFlight === 1)
})
