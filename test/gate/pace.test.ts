import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { gateKeys } from '#src/gate/scripts.ts'
import { startTestRedis, type TestRedis } from '../support/redis.ts'
import { scriptsOf } from './scripts-of.ts'

let server: TestRedis
beforeAll(async () => void (server = await startTestRedis()))
afterAll(() => server[Symbol.asyncDispose]())

/** A gate of windows of six seconds, asked by one process at the times that a test gives. */
function gateAt(digest: string, placesCeiling?: number) {
  const ask = scriptsOf(server.connection, gateKeys('sluice', digest), { placesCeiling, credits: 0, more: true })
  let requests = 0
  const enter = (now: number) => ask('p', 'enter', { id: `p-${(requests += 1)}`, now })
  const leave = (enteredAt: number, now: number, outcome: Readonly<Record<string, unknown>>, id = `p-${requests}`) =>
    ask('p', 'leave', { id, now, permit: { id, enteredAt, ahead: 9, paced: false }, ...outcome })
  const parse = async (from: number, to: number): Promise<void> => {
    expect(await enter(from)).toMatchObject({ kind: 'admitted' })
    await leave(from, to, { kind: 'parsed', durationMs: to - from, queuedMs: 0 })
  }
  return { enter, leave, parse }
}

describe('while no limit is known', () => {
  test('requests begin one after another, at twice the pace of the answers', async () => {
    const { enter, parse } = gateAt('start')
    for (let at = 0; at < 2_000; at += 500) await parse(at, at + 400)
    // Seven places by now, and 400 ms for each: 28.6 ms between two.
    expect(await enter(3_000)).toMatchObject({ kind: 'admitted' })
    expect(await enter(3_001)).toMatchObject({ kind: 'wait', reason: 'start' })
    expect(await enter(3_030)).toMatchObject({ kind: 'admitted' })
  })

  test('nobody is held back where the places were told', async () => {
    const { enter, parse } = gateAt('told', 8)
    await parse(0, 400)
    for (let i = 0; i < 8; i += 1) expect(await enter(1_000)).toMatchObject({ kind: 'admitted' })
  })
})

describe('after eleven requests in a second, and a refusal', () => {
  const burst = async (digest: string, retryAfterMs: number) => {
    const gate = gateAt(digest, 100)
    await gate.parse(0, 10)
    for (let i = 0; i < 10; i += 1) await gate.parse(1_000 + i, 1_010 + i)
    expect(await gate.enter(3_000)).toMatchObject({ kind: 'admitted' })
    await gate.leave(3_000, 3_005, { kind: 'rate', retryAfterMs })
    return gate
  }

  test('by a service that looks back over a window, none is sent until they are out of it', async () => {
    // Until the first of the eleven is a window old: then one may come, if no more than ten are left.
    const { enter } = await burst('looks-back', 2_995)
    expect(await enter(6_100)).toMatchObject({ kind: 'wait', reason: 'rate' })
    expect(await enter(6_999)).toMatchObject({ kind: 'wait', reason: 'rate' })
    expect(await enter(7_001)).toMatchObject({ kind: 'admitted' })
  })

  test('by a service that lets one through again soon, they go on at the pace that was measured', async () => {
    const { enter } = await burst('bucket', 200)
    expect(await enter(3_210)).toMatchObject({ kind: 'admitted' })
    expect(await enter(3_210 + 560)).toMatchObject({ kind: 'admitted' })
  })
})
