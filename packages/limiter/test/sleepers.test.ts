import { afterAll, beforeAll, expect, test } from 'vitest'
import type { RedisGate } from '../src/redis-gate.ts'
import { callsOf, startTestRedis, type TestRedis } from '../../../test/support/redis.ts'
import { openOn, permit, signal } from './gates.ts'
import { parsed, throttled } from './verdicts.ts'
import { elapse, until } from '../../../test/support/wait.ts'

let server: TestRedis
beforeAll(async () => void (server = await startTestRedis()))
afterAll(() => server[Symbol.asyncDispose]())

const MINUTE_MS = 60_000
const acquire = (gate: RedisGate, key: string) => gate.acquire({ key }, signal)

/** Processes on one gate that all wait for a time that was stated. */
async function sleepers(count: number, keyDigest: string, retryAfterMs: number) {
  const open = () => openOn(server, { keyDigest, windowMs: MINUTE_MS, patienceMs: 20_000 })
  const gates = await Promise.all(Array.from({ length: count }, open))
  const [first] = gates as [RedisGate]
  const stated = { requests: 1_000, windowMs: MINUTE_MS, exact: true, reached: true }
  const held = await permit(first, 'held')
  await (await permit(first, 'refused')).release(throttled('rate', retryAfterMs, stated))
  const asked = gates.map((gate, index) => acquire(gate, `${index}`))
  await until('all wait', 5_000, async () => (await first.snapshot()).waitingProcesses === count)
  return { gates, first, held, asked }
}

test('processes that wait for a stated time ask once, and not again before it', async () => {
  const { gates, asked } = await sleepers(6, 'sleep', 3_600_000)
  for (const got of asked) void got.catch(() => undefined)
  const before = await callsOf(server.connection, 'evalsha')
  await elapse(1_000, 'none of them may ask again')
  expect((await callsOf(server.connection, 'evalsha')) - before).toBe(0)
  for (const gate of gates) await gate[Symbol.asyncDispose]()
})

test('a single process sends the probe, and all are notified when the gate opens', async () => {
  const { gates, first, held, asked } = await sleepers(6, 'wake', 3_600_000)
  const before = await callsOf(server.connection, 'evalsha')
  await first.resume()
  // One of them is the probe. Its answer opens the gate, and each of the others is called.
  const probe = await Promise.race(asked)
  if (probe.kind !== 'permit') throw new Error(`no permit: ${JSON.stringify(probe)}`)
  await probe.release(parsed())
  expect((await Promise.all(asked)).map(({ kind }) => kind)).toEqual(asked.map(() => 'permit'))
  expect((await callsOf(server.connection, 'evalsha')) - before).toBeLessThan(6 * 5)
  await held.release(parsed())
  for (const gate of gates) await gate[Symbol.asyncDispose]()
})

test('a gate that was paused by hand is not polled, and opens at once for every process', async () => {
  const gates = await Promise.all(
    Array.from({ length: 4 }, () => openOn(server, { keyDigest: 'by-hand', windowMs: MINUTE_MS, patienceMs: 20_000 })),
  )
  const [first] = gates as [RedisGate]
  await first.pause()
  const asked = gates.map((gate, index) => acquire(gate, `${index}`))
  await until('all wait', 5_000, async () => (await first.snapshot()).waitingProcesses === gates.length)
  const before = await callsOf(server.connection, 'evalsha')
  await elapse(800, 'none of them may ask again')
  expect((await callsOf(server.connection, 'evalsha')) - before).toBe(0)
  await first.resume()
  expect((await Promise.all(asked)).map(({ kind }) => kind)).toEqual(asked.map(() => 'permit'))
  for (const gate of gates) await gate[Symbol.asyncDispose]()
})
