import { afterAll, beforeAll, expect, test } from 'vitest'
import { sourceKey } from '#src/document/ids.ts'
import type { RedisGate } from '#src/gate/redis-gate.ts'
import { openOn, permit, signal } from './gates.ts'
import { startTestRedis, type TestRedis } from '../support/redis.ts'
import { throttled } from './verdicts.ts'

let server: TestRedis
beforeAll(async () => void (server = await startTestRedis()))
afterAll(() => server[Symbol.asyncDispose]())

const ticket = { key: sourceKey('unread.pdf') }

async function turnOf(gate: RedisGate) {
  const turn = await gate.approach(ticket, signal)
  if (turn.kind !== 'turn') throw new Error(`no turn: ${turn.reason}`)
  return turn
}

test('an unread document gets its permit before it is read, and releases it where it needs none', async () => {
  await using gate = await openOn(server, { keyDigest: 'unread' })
  const turn = await turnOf(gate)
  expect((await gate.state()).inFlight).toBe(1)
  await turn[Symbol.asyncDispose]()
  expect((await gate.state()).inFlight).toBe(0)
  const again = await turnOf(gate)
  // The document before it needed no request, so it is read first.
  expect((await gate.state()).inFlight).toBe(0)
  expect(await gate.enter({ ...ticket, turn: again }, signal)).toMatchObject({ kind: 'admitted' })
  await again[Symbol.asyncDispose]()
  expect((await gate.state()).inFlight).toBe(1)
})

test('an unread document is read before it is the probe of a pause', async () => {
  await using gate = await openOn(server, { keyDigest: 'paused', ceilings: { requestsPerWindow: 600 } })
  const permits = await Promise.all(Array.from({ length: 8 }, (_, i) => permit(gate, `${i}`)))
  for (const refused of permits) await gate.leave(refused, throttled('rate', 100))
  const turn = await turnOf(gate)
  expect((await gate.state()).inFlight).toBe(0)
  expect(await gate.enter({ ...ticket, turn }, signal)).toMatchObject({ kind: 'admitted' })
  await turn[Symbol.asyncDispose]()
})

test('documents that wait unread are rejected when their gate is closed, and none of them takes a permit', async () => {
  await using watching = await openOn(server, { keyDigest: 'closed' })
  await watching.pause()
  const gate = await openOn(server, { keyDigest: 'closed' })
  const ended = Promise.allSettled(
    ['a', 'b', 'c', 'd'].map((key) => gate.approach({ key: sourceKey(`${key}.pdf`) }, signal)),
  )
  // One at a time is read during a pause by hand; the others wait.
  await expect.poll(async () => (await gate.state()).waitingDocuments, { timeout: 60_000 }).toBe(3)
  await gate[Symbol.asyncDispose]()
  await watching.resume()
  expect((await ended).map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'rejected', 'rejected'])
  expect((await watching.state()).inFlight).toBe(0)
})
