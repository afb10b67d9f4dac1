import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTestRedis, type TestRedis } from '../../../test/support/redis.ts'
import { openOn, permit } from './gates.ts'

let server: TestRedis
beforeAll(async () => void (server = await startTestRedis()))
afterAll(() => server[Symbol.asyncDispose]())

const TIMED_OUT = { kind: 'timed_out' } as const

test('a 408 uses no attempt while other requests are in flight, also of the request that was first', async () => {
  await using gate = await openOn(server)
  const first = await permit(gate, 'first.pdf')
  const other = await permit(gate, 'other.pdf')
  expect((await first.release(TIMED_OUT)).countsAsAttempt).toBe(false)
  expect((await other.release(TIMED_OUT)).countsAsAttempt).toBe(false)
})

test('a 408 of a request that was alone in flight uses an attempt', async () => {
  await using gate = await openOn(server)
  expect((await (await permit(gate, 'alone.pdf')).release(TIMED_OUT)).countsAsAttempt).toBe(true)
})

test('the third 408 of a document uses an attempt, whatever else is in flight', async () => {
  await using gate = await openOn(server)
  await permit(gate, 'other.pdf')
  const counted = []
  for (let i = 0; i < 3; i += 1)
    counted.push((await (await permit(gate, 'slow.pdf')).release(TIMED_OUT)).countsAsAttempt)
  expect(counted).toEqual([false, false, true])
})
