import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { GateOptions } from '../src/open-gate.ts'
import type { RedisGate } from '../src/redis-gate.ts'
import type { Permit } from '../src/permit.ts'
import { startTestRedis, type TestRedis } from '../../../test/support/redis.ts'
import { openOn, permit, signal } from './gates.ts'
import { parsed, rejected, unavailable } from './verdicts.ts'

let server: TestRedis
beforeAll(async () => void (server = await startTestRedis()))
afterAll(() => server[Symbol.asyncDispose]())

const open = (options: Partial<GateOptions> = {}): Promise<RedisGate> => openOn(server, options)

/** A permit also in an outage, in which the next probe would be up to ten seconds away. */
async function probePermit(gate: RedisGate, key: string): Promise<Permit> {
  await gate.resume()
  return permit(gate, key)
}

describe('the circuit breaker', () => {
  /** Five documents fail in a row. */
  async function fail(gate: RedisGate): Promise<boolean[]> {
    const counted: boolean[] = []
    for (let i = 0; i < 5; i += 1) {
      const released = await (await probePermit(gate, `${i}`)).release(unavailable())
      counted.push(released.countsAsAttempt)
    }
    return counted
  }

  test('shuts the gate at the fifth failure in a row, which uses no attempt', async () => {
    await using gate = await open({ windowMs: 60_000, patienceMs: 100 })
    expect(await fail(gate)).toEqual([true, true, true, true, false])
    expect(await gate.acquire({ key: 'x' }, signal)).toMatchObject({
      kind: 'wait',
      reason: expect.stringContaining('the service is down') as string,
    })
    expect((await gate.snapshot()).shut?.cause).toBe('outage')
  })

  test('lets one probe through, and opens the gate when the probe succeeds', async () => {
    await using gate = await open({ windowMs: 6_000 })
    await fail(gate)
    const probe = await permit(gate, 'probe')
    const shut = gate.acquire({ key: 'other' }, AbortSignal.timeout(60))
    await expect(shut).rejects.toThrow()
    await probe.release(parsed())
    expect((await gate.snapshot()).shut).toBeNull()
    await permit(gate, 'other')
  })

  test('leaves the gate open at failures of single documents', async () => {
    await using gate = await open()
    for (let i = 0; i < 8; i += 1) {
      expect(await (await permit(gate)).release(unavailable(false))).toMatchObject({ countsAsAttempt: true })
    }
    expect((await gate.snapshot()).shut).toBeNull()
  })

  test('is reset by a rejected document, as the service answered', async () => {
    await using gate = await open()
    for (let i = 0; i < 4; i += 1) await (await permit(gate, `${i}`)).release(unavailable())
    await (await permit(gate, 'broken')).release(rejected())
    await (await permit(gate, 'e')).release(unavailable())
    expect((await gate.snapshot()).shut).toBeNull()
  })

  test('uses an attempt of a document that fails again after others succeeded', async () => {
    await using gate = await open()
    await fail(gate)
    const first = await (await probePermit(gate, 'poison')).release(unavailable())
    await (await probePermit(gate, 'good')).release(parsed())
    await fail(gate)
    const second = await (await probePermit(gate, 'poison')).release(unavailable())
    expect([first.countsAsAttempt, second.countsAsAttempt]).toEqual([false, true])
  })

  test('uses an attempt at every failure of the only document that fails: five end it', async () => {
    await using gate = await open()
    const counted: boolean[] = []
    for (let i = 0; i < 5; i += 1) {
      const released = await (await probePermit(gate, 'alone')).release(unavailable())
      counted.push(released.countsAsAttempt)
    }
    expect(counted).toEqual([true, true, true, true, true])
  })

  test('uses attempts from the third probe on when only one document is left', async () => {
    await using gate = await open({ windowMs: 6_000 })
    await (await probePermit(gate, 'other')).release(unavailable())
    const counted: boolean[] = []
    while (counted.filter(Boolean).length < 5) {
      const released = await (await probePermit(gate, 'poison')).release(unavailable())
      counted.push(released.countsAsAttempt)
    }
    expect(counted).toEqual([true, true, true, false, false, false, true, true])
  })

  test.each([1, 3])(
    'uses no attempt of the last %i documents while the service cannot be reached',
    async (documents) => {
      await using gate = await open({ windowMs: 60 })
      const counted = Array.from({ length: documents }, () => 0)
      // Half an hour of probes, were the window a minute.
      const until = performance.now() + 1_800
      for (let turn = 0; performance.now() < until; turn += 1) {
        const document = turn % documents
        const released = await (await probePermit(gate, `${document}`)).release(unavailable(true, 503))
        if (released.countsAsAttempt) counted[document] = (counted[document] ?? 0) + 1
      }
      expect(Math.max(...counted)).toBe(1)
    },
  )

  test('uses an attempt of the last document once an hour, as that document may take the service down', async () => {
    await using gate = await open({ windowMs: 12 })
    const until = performance.now() + 30_000
    let counted = 0
    const times: number[] = []
    while (counted < 3 && performance.now() < until) {
      const released = await (await probePermit(gate, 'poison')).release(unavailable(true, 503))
      if (released.countsAsAttempt) {
        counted += 1
        times.push(performance.now())
      }
    }
    expect(counted).toBe(3)
    expect((times[2] ?? 0) - (times[1] ?? 0)).toBeGreaterThanOrEqual(600)
  })

  test('does not shut the gate at failures of known poison documents', async () => {
    await using gate = await open()
    for (let i = 0; i < 2; i += 1) {
      await (await probePermit(gate, 'poison')).release(unavailable())
      await (await probePermit(gate, 'good')).release(parsed())
    }
    for (let i = 0; i < 6; i += 1) {
      expect(await (await probePermit(gate, 'poison')).release(unavailable())).toMatchObject({ countsAsAttempt: true })
    }
    expect((await gate.snapshot()).shut).toBeNull()
  })

  test('uses no attempt in an outage while many documents wait', async () => {
    await using gate = await open({ windowMs: 60 })
    await fail(gate)
    const counted: boolean[] = []
    for (let i = 0; i < 40; i += 1) {
      const released = await (await probePermit(gate, `${i % 8}`)).release(unavailable())
      counted.push(released.countsAsAttempt)
    }
    expect(counted).not.toContain(true)
  })

  test('uses attempts of the last two documents, though known poison documents were sent as probes too', async () => {
    await using gate = await open({ windowMs: 60 })
    const known = ['p', 'q', 'r', 's']
    const failAll = async (names: readonly string[]): Promise<boolean[]> => {
      const counted: boolean[] = []
      for (const name of names) {
        counted.push((await (await probePermit(gate, name)).release(unavailable())).countsAsAttempt)
      }
      return counted
    }
    await failAll(known)
    await (await probePermit(gate, 'good')).release(parsed())
    await failAll(known)
    await fail(gate)
    expect(await failAll(known)).toEqual([true, true, true, true])
    const last = ['x', 'y']
    expect([await failAll(last), await failAll(last)].flat()).not.toContain(true)
    expect([await failAll(last), await failAll(last)].flat()).not.toContain(false)
  })

  test('eventually uses the attempts of the last eight documents', async () => {
    await using gate = await open({ windowMs: 6 })
    const counted = Array.from({ length: 8 }, () => 0)
    for (let sent = 0; Math.min(...counted) < 5 && sent < 120; sent += 1) {
      const document = sent % 8
      const released = await (await probePermit(gate, `${document}`)).release(unavailable())
      if (released.countsAsAttempt) counted[document] = (counted[document] ?? 0) + 1
    }
    expect(Math.min(...counted)).toBe(5)
  })
})
