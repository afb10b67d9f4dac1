import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { gateKeys } from '../src/scripts.ts'
import { startTestRedis, type TestRedis } from '../../../test/support/redis.ts'
import { scriptsOf } from './scripts-of.ts'

let server: TestRedis
beforeAll(async () => void (server = await startTestRedis()))
afterAll(() => server[Symbol.asyncDispose]())

type Feedback = Readonly<Record<string, unknown>>
type Reported = Feedback | ((now: number) => Feedback)

interface Granted {
  readonly kind: string
  readonly sentAt: number
}

/** A gate with windows of a minute, asked by one process at the times that a test gives. */
function gateAt(digest: string, ceilings: Readonly<Record<string, number>> = {}) {
  const always = { ...ceilings, windowMs: 60_000, more: true }
  const ask = scriptsOf(server.connection, gateKeys('sluice', digest), always)
  let requests = 0
  const acquire = async (now: number) => {
    requests += 1
    const id = `p-${requests}`
    const reply = (await ask('p', 'acquire', { id, now })) as Granted & { readonly waitMs?: number }
    return { ...reply, permit: { ...reply, id } }
  }
  const release = (
    permit: object & { readonly id: string },
    now: number,
    feedback: Readonly<Record<string, unknown>>,
  ) => ask('p', 'release', { id: permit.id, now, permit, ...feedback })
  /** Sends one document after another, each answered after `ms`, until `until`; reports how many were granted. */
  const send = async (from: number, until: number, ms: number, feedback: Reported) => {
    let granted = 0
    for (let now = from; now < until;) {
      const asked = await acquire(now)
      if (asked.kind === 'permit') {
        granted += 1
        await release(asked.permit, now + ms, typeof feedback === 'function' ? feedback(now) : feedback)
        now += ms
      } else now += Math.min(Math.max(asked.waitMs ?? 0, 1), until - now)
    }
    return granted
  }
  return { acquire, release, send }
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
  test('stops other requests for at most the stated time, and teaches no rate', async () => {
    const { send } = gateAt('first-refused')
    await send(1_000, 3_000, 20, (now) => ({ ...refused, retryAfterMs: 4_000 - now }))
    expect(await send(4_000, 6_000, 20, accepted)).toBeGreaterThan(60)
  })
})

describe('a Retry-After of weeks', () => {
  test('is tested by a probe within a quarter of an hour', async () => {
    const { send, acquire } = gateAt('weeks')
    for (let sent = 0; sent < 3; sent += 1) await send(1_000 + sent, 1_001 + sent, 1, { ...refused, retryAfterMs: 2e9 })
    const later = await acquire(1_000 + 16 * 60_000)
    expect(later.kind).toBe('permit')
  })
})

describe('refusals in a row', () => {
  test('close the gate, which one request at a time probes', async () => {
    const { acquire, release } = gateAt('probed')
    const permits = []
    for (let i = 0; i < 8; i += 1) permits.push((await acquire(1_000 + i)).permit)
    for (const [i, permit] of permits.entries()) await release(permit, 1_040 + i, { ...refused, retryAfterMs: 9_000 })
    expect(await acquire(1_050)).toMatchObject({ kind: 'wait', reason: 'refused' })
    const probe = await acquire(1_400)
    expect(probe.kind).toBe('permit')
    expect(await acquire(1_410)).toMatchObject({ kind: 'wait', reason: 'refused' })
    await release(probe.permit, 1_420, accepted)
    expect((await acquire(1_440)).kind).toBe('permit')
  })
})
