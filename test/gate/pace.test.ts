import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { gateKeys } from '#src/gate/scripts.ts'
import { startTestRedis, type TestRedis } from '../support/redis.ts'
import { scriptsOf } from './scripts-of.ts'

let server: TestRedis
beforeAll(async () => void (server = await startTestRedis()))
afterAll(() => server[Symbol.asyncDispose]())

type Feedback = Readonly<Record<string, unknown>>
type Reported = Feedback | ((now: number) => Feedback)

interface Admitted {
  readonly kind: string
  readonly enteredAt: number
}

/** A gate with windows of a minute, asked by one process at the times that a test gives. */
function gateAt(digest: string, ceilings: Readonly<Record<string, number>> = {}) {
  const always = { ...ceilings, windowMs: 60_000, more: true }
  const ask = scriptsOf(server.connection, gateKeys('sluice', digest), always)
  let requests = 0
  const enter = async (now: number) => {
    requests += 1
    const id = `p-${requests}`
    const reply = (await ask('p', 'enter', { id, now })) as Admitted & { readonly waitMs?: number }
    return { ...reply, permit: { ...reply, id } }
  }
  const leave = (permit: object & { readonly id: string }, now: number, feedback: Readonly<Record<string, unknown>>) =>
    ask('p', 'leave', { id: permit.id, now, permit, ...feedback })
  /** Sends one document after another, each answered after `ms`, until `until`; reports how many were admitted. */
  const send = async (from: number, until: number, ms: number, feedback: Reported) => {
    let admitted = 0
    for (let now = from; now < until;) {
      const entered = await enter(now)
      if (entered.kind === 'admitted') {
        admitted += 1
        await leave(entered.permit, now + ms, typeof feedback === 'function' ? feedback(now) : feedback)
        now += ms
      } else now += Math.min(Math.max(entered.waitMs ?? 0, 1), until - now)
    }
    return admitted
  }
  return { enter, leave, send }
}

const accepted = { kind: 'accepted', durationMs: 20, queuedMs: 0 }
const refused = { kind: 'refused', limit: 'rate' }

describe('a configured rate of the gate', () => {
  test('paces requests from the first, and is the upper bound', async () => {
    const { send } = gateAt('stated', { rateCeiling: 120 })
    expect(await send(1_000, 21_000, 20, accepted)).toBeGreaterThan(38)
    expect(await send(21_000, 41_000, 20, accepted)).toBeLessThanOrEqual(41)
  })

  test('is used again soon after a window that other clients of the key had used up', async () => {
    const { send } = gateAt('used-up', { rateCeiling: 120 })
    await send(1_000, 11_000, 20, (now) => ({ ...refused, retryAfterMs: 11_000 - now }))
    // 20 s at two a second; a measurement of nothing would have left it at one a minute.
    expect(await send(11_000, 31_000, 20, accepted)).toBeGreaterThan(32)
  })
})

describe('a refused first request', () => {
  test('stops other requests for no longer than was stated, and teaches no rate', async () => {
    const { send } = gateAt('first-refused')
    await send(1_000, 3_000, 20, (now) => ({ ...refused, retryAfterMs: 4_000 - now }))
    expect(await send(4_000, 6_000, 20, accepted)).toBeGreaterThan(60)
  })
})

describe('a Retry-After of weeks', () => {
  test('is tested by a probe within a quarter of an hour', async () => {
    const { send, enter } = gateAt('weeks')
    for (let sent = 0; sent < 3; sent += 1) await send(1_000 + sent, 1_001 + sent, 1, { ...refused, retryAfterMs: 2e9 })
    const later = await enter(1_000 + 16 * 60_000)
    expect(later.kind).toBe('admitted')
  })
})
