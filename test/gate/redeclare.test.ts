import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { sourceKey } from '#src/document/ids.ts'
import { takeSnapshot } from '../support/redis-snapshot.ts'
import { startTestRedis, type TestRedis } from '../support/redis.ts'
import { openOn, permit, signal } from './gates.ts'
import { parsed } from './verdicts.ts'
import { until } from '../support/wait.ts'

/*
 * The promise of `RedisGate.redeclare`, however the gate works inside: Redis may forget everything, or come back as it
 * was some time ago. After a declaration of every live process, exactly the permits that those processes hold are in
 * flight, their credits are reserved, and no cap has been reset.
 */

let server: TestRedis
beforeAll(async () => void (server = await startTestRedis()))
afterAll(() => server[Symbol.asyncDispose]())

const run = 'a run'
const capped = (limitCredits: number) => ({ budgets: [{ per: 'run', run, limitCredits }] as const })
const scope = `run:${run}`

describe('after Redis was emptied', () => {
  test('a permit that a process holds is in flight again, so that a limit of one is not exceeded', async () => {
    await using gate = await openOn(server, { ceilings: { concurrency: 1 }, patienceMs: 1_000 })
    const held = await permit(gate)
    await server.connection.flushall()
    await gate.redeclare()
    expect((await gate.state()).inFlight).toBe(1)
    expect((await gate.enter({ key: sourceKey('b.pdf'), credits: 0 }, signal)).kind).toBe('wait')
    await gate.leave(held, parsed())
    expect((await gate.state()).inFlight).toBe(0)
    await permit(gate, 'b.pdf')
  })

  test('what was spent and what is reserved still counts against the cap', async () => {
    await using gate = await openOn(server, capped(10))
    await gate.leave(await permit(gate, 'a.pdf', 4), parsed(4))
    const held = await permit(gate, 'b.pdf', 3)
    await server.connection.flushall()
    await gate.redeclare()
    expect((await gate.state()).credits.get(scope)).toEqual({ held: 3, spent: 4 })
    await gate.leave(held, parsed(3))
    expect((await gate.state()).credits.get(scope)).toEqual({ held: 0, spent: 7 })
    const next = await gate.enter({ key: sourceKey('c.pdf'), credits: 4 }, signal)
    expect(next).toMatchObject({ kind: 'halted', cause: 'budget' })
  })

  test('what the records of a store say was spent counts, once however often it is reported, and adds up over stores', async () => {
    await using gate = await openOn(server, { budgets: [{ per: 'month', limitCredits: 100 }] })
    const month = `month:${new Date().toISOString().slice(0, 7)}`
    await gate.restoreSpent('one', new Map([[month, 30]]))
    await gate.restoreSpent('one', new Map([[month, 30]]))
    await gate.restoreSpent('two', new Map([[month, 12]]))
    expect((await gate.state()).credits.get(month)?.spent).toBe(42)
    await gate.leave(await permit(gate, 'a.pdf', 5), parsed(5))
    await gate.restoreSpent('one', new Map([[month, 35]]))
    expect((await gate.state()).credits.get(month)?.spent).toBe(47)
  })
})

describe('after Redis was rolled back', () => {
  test('a permit that was released since is in flight no more, and its reservation is not spent', async () => {
    await using gate = await openOn(server, { ceilings: { concurrency: 1 }, ...capped(10) })
    const held = await permit(gate, 'a.pdf', 5)
    const rollBack = await takeSnapshot(server.connection)
    await gate.leave(held, parsed(2))
    await rollBack()
    expect((await gate.state()).inFlight).toBe(1)
    await gate.redeclare()
    expect((await gate.state()).inFlight).toBe(0)
    expect((await gate.state()).credits.get(scope)).toEqual({ held: 0, spent: 2 })
    await permit(gate, 'b.pdf', 5)
  })

  test('a process declares its own permits only', async () => {
    const shared = { keyDigest: 'two of them', ceilings: { concurrency: 2 } }
    await using one = await openOn(server, shared)
    await using two = await openOn(server, shared)
    await permit(one)
    await permit(two)
    await one.redeclare()
    expect((await one.state()).inFlight).toBe(2)
  })
})

test('a declaration while permits are acquired and released loses none and leaves none behind', async () => {
  await using gate = await openOn(server, { ceilings: { concurrency: 8 }, ...capped(100_000) })
  const declaring = new AbortController()
  const declarations = (async () => {
    while (!declaring.signal.aborted) await gate.redeclare()
  })()
  const one = async (name: number): Promise<void> => {
    const admission = await gate.enter({ key: sourceKey(`${name}.pdf`), credits: 1 }, signal)
    if (admission.kind !== 'admitted') return one(name)
    expect((await gate.state()).inFlight).toBeGreaterThan(0)
    await gate.leave(admission.permit, parsed(1))
  }
  await Promise.all(Array.from({ length: 200 }, (_, name) => one(name)))
  declaring.abort()
  await declarations
  expect((await gate.state()).inFlight).toBe(0)
  expect((await gate.state()).credits.get(scope)).toEqual({ held: 0, spent: 200 })
})

test('a gate declares by itself every third of the time in which a process counts as alive', async () => {
  await using gate = await openOn(server, { aliveMs: 300 })
  await permit(gate)
  await server.connection.flushall()
  await until('it has declared its permit', 5_000, async () => (await gate.state()).inFlight === 1)
})
