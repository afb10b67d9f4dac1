import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { sourceKey } from '#src/document/ids.ts'
import { type GateOptions, openGate } from '#src/gate/open-gate.ts'
import type { RedisGate } from '#src/gate/redis-gate.ts'
import type { Permit } from '#src/ports.ts'
import { startProcess } from '../support/child.ts'
import { startTestRedis, type TestRedis } from '../support/redis.ts'
import { halted, parsed, rejected, throttled, unavailable } from './verdicts.ts'

let server: TestRedis
beforeAll(async () => void (server = await startTestRedis()))
afterAll(() => server[Symbol.asyncDispose]())

const signal = new AbortController().signal
let digests = 0

/** A gate that no other test shares, unless told whose. A window of 600 ms makes every pause a hundredth. */
function open(options: Partial<GateOptions> = {}): Promise<RedisGate> {
  digests += 1
  return openGate({
    redis: server.connection,
    keyDigest: `test-${digests}`,
    windowMs: 600,
    patienceMs: 2_000,
    ...options,
  })
}

async function permit(gate: RedisGate, key = 'a.pdf', credits = 0): Promise<Permit> {
  const admission = await gate.enter({ key: sourceKey(key), credits }, signal)
  if (admission.kind !== 'admitted') throw new Error(`not admitted: ${JSON.stringify(admission)}`)
  return admission.permit
}

describe('places', () => {
  test('are few at first, and more after each answer', async () => {
    await using gate = await open({ patienceMs: 500 })
    const permits = await Promise.all(['a', 'b', 'c', 'd'].map((key) => permit(gate, key)))
    const fifth = await gate.enter({ key: sourceKey('e'), credits: 0 }, signal)
    expect(fifth).toMatchObject({ kind: 'wait', reason: expect.stringContaining('concurrency') as string })
    await gate.leave(permits[3] as Permit, parsed())
    expect((await gate.state()).places.count).toBe(5)
  })

  test('are as many as were in flight when one more was refused', async () => {
    await using gate = await open({ ceilings: { concurrency: 100 } })
    const permits = await Promise.all(Array.from({ length: 8 }, (_, i) => permit(gate, `${i}`)))
    const departure = await gate.leave(permits[7] as Permit, throttled('concurrency', 300))
    expect(departure.countsAsAttempt).toBe(false)
    expect(departure.retryInMs).toBeGreaterThanOrEqual(300)
    expect((await gate.state()).places).toEqual({ count: 7, learned: true })
  })

  test('of another process are given to the one that waits longest', async () => {
    await using first = await open({ keyDigest: 'shared', ceilings: { concurrency: 1 } })
    await using second = await open({ keyDigest: 'shared', ceilings: { concurrency: 1 } })
    const held = await permit(first)
    const waiting = permit(second, 'b.pdf')
    await new Promise((resolve) => setTimeout(resolve, 50))
    const startedAt = performance.now()
    await first.leave(held, parsed())
    await waiting
    // Its own next look would be after 250 ms and more.
    expect(performance.now() - startedAt).toBeLessThan(200)
  })

  test('that were never given back are free after the lease', async () => {
    await using gate = await open({ ceilings: { concurrency: 1 }, leaseMs: 120 })
    await permit(gate)
    const startedAt = performance.now()
    await permit(gate, 'b.pdf')
    expect(performance.now() - startedAt).toBeGreaterThan(100)
  })

  test('of a process that was killed come back soon', async () => {
    const holder = startProcess('gate-holder.ts', [server.url, 'killed', '2', '900'])
    await holder.line('holding')
    await using gate = await open({ keyDigest: 'killed', ceilings: { concurrency: 2 }, patienceMs: 10_000 })
    const place = permit(gate)
    expect((await gate.state()).inFlight).toBe(2)
    await holder.kill('SIGKILL')
    await place
    expect((await gate.state()).inFlight).toBe(1)
  })
})

describe('the rate', () => {
  test('is what was accepted in the window before a refusal, and the gate shuts for everybody', async () => {
    await using gate = await open({ ceilings: { concurrency: 100 }, windowMs: 6_000, patienceMs: 500 })
    const permits = await Promise.all(Array.from({ length: 21 }, (_, i) => permit(gate, `${i}`)))
    for (const one of permits.slice(0, 20)) await gate.leave(one, parsed())
    const departure = await gate.leave(permits[20] as Permit, throttled('rate', 5_900))
    expect(departure).toMatchObject({ countsAsAttempt: false })
    expect(departure.retryInMs).toBeGreaterThanOrEqual(5_900)
    const state = await gate.state()
    expect(state.rate?.perWindow).toBeCloseTo(19.8)
    expect(state.nextInMs).toBeGreaterThan(5_500)
    expect(await gate.enter({ key: sourceKey('x'), credits: 0 }, signal)).toMatchObject({ kind: 'wait' })
  })

  test('that was told paces requests from the first', async () => {
    await using gate = await open({ ceilings: { requestsPerWindow: 6, concurrency: 100 } })
    const times: number[] = []
    for (let i = 0; i < 4; i += 1) {
      await permit(gate, `${i}`)
      times.push(performance.now())
    }
    expect((times[3] ?? 0) - (times[0] ?? 0)).toBeGreaterThan(270)
  })
})

describe('the breaker', () => {
  /** Five documents fail in a row. */
  async function fail(gate: RedisGate): Promise<boolean[]> {
    const counted: boolean[] = []
    for (let i = 0; i < 5; i += 1) {
      const departure = await gate.leave(await permit(gate, `${i}`), unavailable())
      counted.push(departure.countsAsAttempt)
    }
    return counted
  }

  test('shuts the gate at the fifth failure in a row, which no longer counts', async () => {
    await using gate = await open({ windowMs: 60_000, patienceMs: 500 })
    expect(await fail(gate)).toEqual([true, true, true, true, false])
    expect(await gate.enter({ key: sourceKey('x'), credits: 0 }, signal)).toMatchObject({
      kind: 'wait',
      reason: expect.stringContaining('the service is down') as string,
    })
    expect((await gate.state()).shut?.cause).toBe('outage')
  })

  test('lets one probe through, and opens when it comes out well', async () => {
    await using gate = await open({ windowMs: 6_000 })
    await fail(gate)
    const probe = await permit(gate, 'probe')
    const shut = gate.enter({ key: sourceKey('other'), credits: 0 }, AbortSignal.timeout(60))
    await expect(shut).rejects.toThrow()
    await gate.leave(probe, parsed())
    expect((await gate.state()).shut).toBeNull()
    await permit(gate, 'other')
  })

  test('stays open for failures of single documents', async () => {
    await using gate = await open()
    for (let i = 0; i < 8; i += 1) {
      expect(await gate.leave(await permit(gate), unavailable(false))).toMatchObject({ countsAsAttempt: true })
    }
    expect((await gate.state()).shut).toBeNull()
  })

  test('is reset by a rejected document: the service is well', async () => {
    await using gate = await open()
    for (let i = 0; i < 4; i += 1) await gate.leave(await permit(gate, `${i}`), unavailable())
    await gate.leave(await permit(gate, 'broken'), rejected())
    await gate.leave(await permit(gate, 'e'), unavailable())
    expect((await gate.state()).shut).toBeNull()
  })

  test('counts failures of a document between whose failures others came through', async () => {
    await using gate = await open()
    await fail(gate)
    const first = await gate.leave(await permit(gate, 'poison'), unavailable())
    await gate.leave(await permit(gate, 'good'), parsed())
    await fail(gate)
    const second = await gate.leave(await permit(gate, 'poison'), unavailable())
    expect([first.countsAsAttempt, second.countsAsAttempt]).toEqual([false, true])
  })

  test('counts from the third probe on, where one document is all that is left', async () => {
    await using gate = await open()
    const counted: boolean[] = []
    while (counted.filter(Boolean).length < 5) {
      const departure = await gate.leave(await permit(gate, 'poison'), unavailable())
      counted.push(departure.countsAsAttempt)
    }
    expect(counted).toEqual([true, true, true, true, false, false, false, true])
  })

  test('lets no known poison shut it for others', async () => {
    await using gate = await open()
    for (let i = 0; i < 2; i += 1) {
      await gate.leave(await permit(gate, 'poison'), unavailable())
      await gate.leave(await permit(gate, 'good'), parsed())
    }
    for (let i = 0; i < 6; i += 1) {
      expect(await gate.leave(await permit(gate, 'poison'), unavailable())).toMatchObject({ countsAsAttempt: true })
    }
    expect((await gate.state()).shut).toBeNull()
  })

  test('never counts in an outage that many documents are waiting out', async () => {
    await using gate = await open({ windowMs: 60 })
    await fail(gate)
    const counted: boolean[] = []
    for (let i = 0; i < 40; i += 1) {
      const departure = await gate.leave(await permit(gate, `${i % 8}`), unavailable())
      counted.push(departure.countsAsAttempt)
    }
    expect(counted).not.toContain(true)
  })
})

describe('a halt', () => {
  test.each(['credits', 'key', 'permission'] as const)('for %s shuts every process, with a probe', async (cause) => {
    await using gate = await open({ keyDigest: `halt-${cause}` })
    await using other = await open({ keyDigest: `halt-${cause}` })
    const departure = await gate.leave(await permit(gate), halted(cause))
    expect(departure.countsAsAttempt).toBe(false)
    const turned = await other.enter({ key: sourceKey('b'), credits: 0 }, signal)
    expect(turned).toMatchObject({ kind: 'halted', cause, message: `halted for ${cause}` })
    await new Promise((resolve) => setTimeout(resolve, 620))
    await other.leave(await permit(other, 'probe'), parsed())
    expect((await gate.state()).shut).toBeNull()
  })

  test('for options is the process’s own', async () => {
    await using gate = await open({ keyDigest: 'options' })
    await using other = await open({ keyDigest: 'options' })
    await gate.leave(await permit(gate), halted('options'))
    expect(await gate.enter({ key: sourceKey('b'), credits: 0 }, signal)).toMatchObject({ kind: 'halted' })
    await permit(other)
  })

  test('by hand reaches every process, and ends', async () => {
    await using gate = await open({ keyDigest: 'paused', patienceMs: 500 })
    await using other = await open({ keyDigest: 'paused', patienceMs: 500 })
    await gate.pause()
    expect(await other.enter({ key: sourceKey('b'), credits: 0 }, signal)).toMatchObject({
      kind: 'wait',
      reason: expect.stringContaining('resume') as string,
    })
    await other.resume()
    await permit(gate)
  })
})

describe('a budget', () => {
  const budgets = (limitCredits: number) => [{ per: 'run', run: 'r1', limitCredits } as const]

  test('is reserved before and settled after', async () => {
    await using gate = await open({ budgets: budgets(100) })
    const held = await permit(gate, 'a', 10)
    expect((await gate.state()).credits.get('run:r1')).toEqual({ held: 10, spent: 0 })
    await gate.leave(held, parsed(7))
    expect((await gate.state()).credits.get('run:r1')).toEqual({ held: 0, spent: 7 })
  })

  test('is never exceeded, however many processes ask at once', async () => {
    const shared = { keyDigest: 'budget', budgets: budgets(25), ceilings: { concurrency: 100 } }
    const gates = await Promise.all([open(shared), open(shared), open(shared)])
    let spent = 0
    let budgetHalts = 0
    await Promise.all(
      gates.flatMap((gate, g) =>
        Array.from({ length: 20 }, async (_, i) => {
          const admission = await gate.enter({ key: sourceKey(`${g}-${i}`), credits: 2 }, signal)
          if (admission.kind === 'halted') budgetHalts += 1
          if (admission.kind !== 'admitted') return
          spent += 2
          await gate.leave(admission.permit, parsed(2))
        }),
      ),
    )
    expect(spent).toBe(24)
    expect(budgetHalts).toBeGreaterThan(0)
    for (const gate of gates) await gate[Symbol.asyncDispose]()
  })

  test('gives back what a refused request had reserved, and keeps what may have been charged', async () => {
    await using gate = await open({ budgets: budgets(100) })
    await gate.leave(await permit(gate, 'a', 10), throttled('concurrency'))
    await gate.leave(await permit(gate, 'b', 10), { verdict: 'abandoned' })
    expect((await gate.state()).credits.get('run:r1')).toEqual({ held: 0, spent: 10 })
  })
})

describe('a document that waits', () => {
  test('goes back to the queue when patience is over', async () => {
    await using gate = await open({ ceilings: { concurrency: 1 }, patienceMs: 500 })
    await permit(gate)
    const startedAt = performance.now()
    const admission = await gate.enter({ key: sourceKey('b'), credits: 0 }, signal)
    expect(admission).toMatchObject({ kind: 'wait' })
    expect(performance.now() - startedAt).toBeLessThan(1_000)
  })

  test('stops waiting when it is told to', async () => {
    await using gate = await open({ ceilings: { concurrency: 1 } })
    await permit(gate)
    const stop = new AbortController()
    const waiting = gate.enter({ key: sourceKey('b'), credits: 0 }, stop.signal)
    stop.abort(new Error('shutting down'))
    await expect(waiting).rejects.toThrow('shutting down')
  })
})
