import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openGate } from '../src/open-gate.ts'
import type { RedisGate } from '../src/redis-gate.ts'
import { duplicate, type GateKeys, gateKeys } from '../src/scripts.ts'
import type { Permit } from '../src/permit.ts'
import type { Feedback } from '../src/feedback.ts'
import { callsOf, startTestRedis, type TestRedis } from '../../../test/support/redis.ts'
import { type AskScript, scriptsOf } from './scripts-of.ts'
import { parsed } from './verdicts.ts'
import { elapse, takes, until } from '../../../test/support/wait.ts'

let server: TestRedis
beforeAll(async () => void (server = await startTestRedis()))
afterAll(() => server[Symbol.asyncDispose]())

const signal = new AbortController().signal

function open(keyDigest: string, concurrency: number): Promise<RedisGate> {
  return openGate({ redis: server.connection, keyDigest, windowMs: 6_000, ceilings: { concurrency } })
}

async function permit(gate: RedisGate, key: string): Promise<Permit> {
  for (;;) {
    const got = await gate.acquire({ key }, signal)
    if (got.kind === 'permit') return got
    // On a busy machine the gate may estimate a turn too far away to wait for.
    if (got.kind !== 'wait') throw new Error(`not admitted: ${JSON.stringify(got)}`)
  }
}

/** Scripts that the server has run. */
const scriptsRun = (): Promise<number> => callsOf(server.connection, 'evalsha')

const scriptsOn = (keys: GateKeys): AskScript => scriptsOf(server.connection, keys, { placesCeiling: 1, more: true })

describe('a place that a process releases to the gate', () => {
  test('passes to the next document of the same process in the same script call', async () => {
    await using gate = await open('same-call', 1)
    const first = await permit(gate, 'a')
    const second = permit(gate, 'b')
    await until('the second waits', 5_000, async () => (await gate.snapshot()).waitingProcesses === 1)
    const before = await scriptsRun()
    await first.release(parsed())
    await second
    expect((await scriptsRun()) - before).toBe(1)
    expect((await gate.snapshot()).inFlight).toBe(1)
  })

  test('passes to the next document once when a broken connection repeats the release', async () => {
    const keys = gateKeys('sluice', 'sent-twice')
    const as = scriptsOn(keys)
    const entered = (await as('p', 'acquire', { id: 'p-1' })) as { readonly sentAt: number }
    const release = {
      id: 'p-1',
      kind: 'accepted',
      durationMs: 10,
      queuedMs: 0,
      permit: { id: 'p-1', sentAt: entered.sentAt, ahead: 0, seq: 1, bound: true },
      next: { id: 'p-2', more: false },
    }
    const reported = [await as('p', 'release', release), await as('p', 'release', release)]
    expect(reported).toMatchObject([{ next: { kind: 'permit' } }, { next: { kind: 'permit' } }])
    expect(await server.connection.zrange(keys.open, '0', '-1')).toEqual(['p-2'])
  })

  test('is reserved for the waiting process that was notified, even if the releasing process asks first', async () => {
    const keys = gateKeys('sluice', 'promised')
    const as = scriptsOn(keys)
    const calls = duplicate(server.connection)
    await calls.subscribe('wake:patient')
    const { sentAt } = (await as('busy', 'acquire', { id: 'busy-1' })) as { readonly sentAt: number }
    expect(await as('patient', 'acquire', { id: 'patient-1' })).toMatchObject({ kind: 'wait', reason: 'places' })
    await elapse(100, 'more than twice as long as its turn takes')
    const left = { kind: 'accepted', durationMs: 10, queuedMs: 0 }
    const had = { id: 'busy-1', sentAt, ahead: 0, seq: 1, bound: true }
    const next = { id: 'busy-2', more: true }
    expect(await as('busy', 'release', { id: 'busy-1', ...left, permit: had, next })).toMatchObject({
      next: { kind: 'wait', reason: 'places' },
    })
    expect(await as('busy', 'acquire', { id: 'busy-3' })).toMatchObject({ kind: 'wait', reason: 'places' })
    expect(await as('patient', 'acquire', { id: 'patient-1' })).toMatchObject({ kind: 'permit' })
    calls.disconnect()
  })

  test('passes to a process with fewer places until the shares are even', async () => {
    await using first = await open('fair', 4)
    await using second = await open('fair', 4)
    const done = { first: 0, second: 0 }
    const work = async (gate: RedisGate, name: keyof typeof done, documents: number): Promise<void> => {
      const each = async (index: number): Promise<void> => {
        const granted = await permit(gate, `${name}-${index}`)
        const from = performance.now()
        await takes(20)
        await granted.release({ ...parsed(), durationMs: performance.now() - from } as Feedback)
        done[name] += 1
      }
      await Promise.all(Array.from({ length: documents }, (_, index) => each(index)))
    }
    const long = work(first, 'first', 200)
    await until('the first process has sent some', 5_000, () => done.first > 0)
    const before = done.first
    await work(second, 'second', 60)
    expect(before).toBeGreaterThan(0)
    // The shares were even except while they levelled out; at three to one the difference would be 180.
    expect(done.first - before).toBeLessThan(100)
    await long
  })
})
