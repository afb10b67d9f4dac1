import { afterAll, beforeAll, expect, test } from 'vitest'
import type { StatedRate } from '../../../src/document/verdict.ts'
import type { Permit } from '../src/permit.ts'
import { startTestRedis, type TestRedis } from '../../../test/support/redis.ts'
import { openOn, permit, signal } from './gates.ts'
import { parsed, throttled } from './verdicts.ts'

let server: TestRedis
beforeAll(async () => void (server = await startTestRedis()))
afterAll(() => server[Symbol.asyncDispose]())

const MINUTE_MS = 60_000
const REACHED: StatedRate = { requests: 500, windowMs: MINUTE_MS, exact: true, reached: true }

test('a limit that a refusal states is used at once, without corroboration', async () => {
  await using gate = await openOn(server, { windowMs: MINUTE_MS })
  await (await permit(gate, 'first')).release(throttled('rate', 200, REACHED))
  await (await permit(gate, 'probe')).release(parsed())
  const { rate } = await gate.snapshot()
  expect(rate?.perWindow).toBeGreaterThan(480)
  expect(rate?.perWindow).toBeLessThanOrEqual(500)
})

test('the lowest limit that concurrent refusals state applies, as refused requests count too', async () => {
  await using gate = await openOn(server, { windowMs: MINUTE_MS })
  const permits = await Promise.all(Array.from({ length: 6 }, (_, i) => permit(gate, `${i}`)))
  for (const [i, refused] of permits.entries()) {
    await refused.release(throttled('rate', 200, { ...REACHED, requests: 502 - (i % 3) }))
  }
  await (await permit(gate, 'probe')).release(parsed())
  const { rate } = await gate.snapshot()
  expect(rate?.perWindow).toBeGreaterThan(480)
  expect(rate?.perWindow).toBeLessThanOrEqual(500)
})

test('a limit that is not reached delays nothing', async () => {
  await using gate = await openOn(server, { windowMs: MINUTE_MS })
  const permits: Permit[] = []
  for (let i = 0; i < 8; i += 1) permits.push(await permit(gate, `${i}`))
  const refused = throttled('rate', 100, { requests: 1, windowMs: MINUTE_MS, exact: false, reached: false })
  await permits[0]!.release(refused)
  expect((await gate.snapshot()).rate).toBeNull()
})

test('a gate that waits for a stated time admits one request when asked to probe', async () => {
  await using gate = await openOn(server, { windowMs: MINUTE_MS, patienceMs: 300 })
  await (await permit(gate, 'first')).release(throttled('rate', 3_600_000, REACHED))
  const acquire = () => gate.acquire({ key: 'next' }, signal)
  expect(await acquire()).toMatchObject({ kind: 'wait' })
  const next = acquire()
  await gate.resume()
  expect(await next).toMatchObject({ kind: 'permit' })
})
