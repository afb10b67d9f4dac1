import { describe, expect, test } from 'vitest'
import type { NoPermit, Permit } from '../src/permit.ts'
import { type AskResult, WaitingLine, type WaitingLineOptions } from '../src/waiting-line.ts'
import { SimulatedTime } from '../../../bench/limiter/simulated-time.ts'

const signal = new AbortController().signal
const full: AskResult = { kind: 'wait', reason: 'places', waitMs: 60_000 }
const idle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

/** A line in virtual time, whose gate answers as `answer` says. */
function scene(
  answer: (key: string, questions: number) => AskResult | 'permit',
  options: Partial<WaitingLineOptions> = {},
) {
  const time = new SimulatedTime()
  const asked: string[] = []
  const released: string[] = []
  let stoodDown = 0
  const permit = (key: string): Permit => ({
    kind: 'permit',
    release: async () => ({ countsAsAttempt: true, retryInMs: null }),
    [Symbol.asyncDispose]: async () => void released.push(key),
  })
  const granted = (key: string): AskResult => ({ kind: 'permit', permit: permit(key), next: null })
  const line = new WaitingLine({
    ask: async ({ key }) => {
      asked.push(key)
      await idle()
      const found = answer(key, asked.length)
      return found === 'permit' ? granted(key) : found
    },
    leaveLine: () => (stoodDown += 1),
    patienceMs: 5_000,
    limitPatienceMs: 60_000,
    maxHeld: 16,
    random: () => 0,
    clock: {
      now: () => time.now,
      after(ms, act) {
        let isOn = true
        time.after(ms + 1e-6, () => void (isOn && act()))
        return () => void (isOn = false)
      },
    },
    ...options,
  })
  const allHeard = async (): Promise<void> => {
    for (let i = 0; i < 6; i += 1) await idle()
  }
  const pass = (ms: number): Promise<void> => allHeard().then(() => time.runUntil(time.now + ms, allHeard))
  const outcomes = new Map<string, Permit | NoPermit | Error>()
  const acquire = (key: string, more: object = {}): void => {
    line.acquire({ key, ...more }, signal).then(
      (outcome) => outcomes.set(key, outcome),
      (error: Error) => outcomes.set(key, error),
    )
  }
  const kinds = (): Record<string, string> =>
    Object.fromEntries([...outcomes].map(([key, outcome]) => [key, outcome instanceof Error ? 'error' : outcome.kind]))
  return { line, asked, released, stoodDown: () => stoodDown, granted, acquire, pass, outcomes, kinds }
}

describe('the waiting line of a process', () => {
  test('asks for its first request, and for the next after a permit, in the order of arrival', async () => {
    const { acquire, pass, asked, kinds } = scene(() => 'permit')
    for (const key of ['a', 'b', 'c']) acquire(key)
    await pass(1)
    expect(asked).toEqual(['a', 'b', 'c'])
    expect(kinds()).toEqual({ a: 'permit', b: 'permit', c: 'permit' })
  })

  test('asks for up to 16 requests at a time while the gate grants, and for one after a refusal', async () => {
    let asking = 0
    const widths: number[] = []
    const { line, acquire, pass, asked, granted, kinds } = scene(() => full, {
      ask: async ({ key }) => {
        widths.push((asking += 1))
        asked.push(key)
        const answer = asked.length <= 40 ? granted(key) : full
        await idle()
        asking -= 1
        return answer
      },
    })
    for (let i = 0; i < 60; i += 1) acquire(`${i}`)
    await pass(1)
    expect(Object.values(kinds())).toHaveLength(40)
    expect(Math.max(...widths)).toBe(16)
    widths.length = 0
    line.announcePlace(0)
    await pass(1)
    expect(widths).toEqual([1])
  })

  test('asks again when it is notified, also during a call, and not before', async () => {
    let free = false
    const { line, acquire, pass, asked, kinds } = scene(() => (free ? 'permit' : full))
    acquire('a')
    await pass(1_000)
    expect(asked).toHaveLength(1)
    line.announcePlace(0)
    line.announcePlace(0)
    free = true
    await pass(1)
    expect(kinds()).toEqual({ a: 'permit' })
  })

  test('asks again without a notification when places are taken, as their process may have died', async () => {
    const { acquire, pass, asked } = scene(() => ({ kind: 'wait', reason: 'places', waitMs: 2_000 }))
    acquire('a')
    await pass(9_000)
    expect(asked).toHaveLength(3)
  })

  test('asks at once for a new request after a release handed the last one in line its place', async () => {
    const { line, acquire, pass, asked, granted, kinds } = scene((_, questions) => (questions === 1 ? full : 'permit'))
    acquire('a')
    await pass(1)
    line.next()?.onAnswer(granted('a'))
    acquire('b')
    await pass(1)
    expect([asked, kinds()]).toEqual([['a', 'b'], { a: 'permit', b: 'permit' }])
  })

  test('releases a permit that arrives after its request left', async () => {
    const { line, acquire, pass, released, granted, kinds } = scene(() => full)
    const stop = new AbortController()
    acquire('a', { until: stop.signal })
    await pass(1)
    const next = line.next()
    stop.abort()
    next?.onAnswer(granted('a'))
    await pass(1)
    expect([kinds(), released]).toEqual([{ a: 'wait' }, ['a']])
  })

  test('withdraws when it is notified with nothing waiting, or when its last request returns', async () => {
    const { line, acquire, pass, stoodDown } = scene(() => full)
    line.announcePlace(0)
    expect(stoodDown()).toBe(1)
    const stop = new AbortController()
    acquire('a', { until: stop.signal })
    await pass(1)
    stop.abort()
    expect(stoodDown()).toBe(2)
  })

  test('returns all requests at a halt', async () => {
    const halted = { kind: 'halted', cause: 'credits', message: 'no credits', retryInMs: 60_000 } as const
    const { acquire, pass, kinds } = scene(() => halted)
    for (const key of ['a', 'b', 'c']) acquire(key)
    await pass(1)
    expect(kinds()).toEqual({ a: 'halted', b: 'halted', c: 'halted' })
  })

  test('returns requests after five seconds in an outage, and keeps those that wait for a limit', async () => {
    let reason: 'outage' | 'rate' = 'outage'
    const { acquire, pass, kinds } = scene(() => ({ kind: 'wait', reason, waitMs: 3_600_000 }))
    acquire('a')
    await pass(5_001)
    expect(kinds()).toEqual({ a: 'wait' })
    reason = 'rate'
    for (let i = 0; i < 5; i += 1) acquire(`${i}`)
    await pass(59_000)
    expect(Object.keys(kinds())).toEqual(['a'])
    await pass(10_000)
    // The first two stay however slow it is.
    expect(Object.keys(kinds()).toSorted()).toEqual(['2', '3', '4', 'a'])
  })

  test('keeps beyond a minute twice as many requests as were granted in the last one', async () => {
    let left = 0
    const { line, acquire, pass, kinds } = scene(() => ((left -= 1) >= 0 ? 'permit' : full))
    for (let i = 0; i < 20; i += 1) acquire(`${i}`)
    for (let i = 0; i < 4; i += 1) {
      await pass(10_000)
      left = 1
      line.announcePlace(0)
    }
    await pass(25_000)
    // Four were granted: eight and the first two stay of the sixteen that are left.
    expect(Object.values(kinds()).filter((kind) => kind === 'wait')).toHaveLength(6)
  })

  test('lets a refused request wait for its time, and then go first', async () => {
    let free = false
    const { line, acquire, pass, asked, kinds } = scene(() => (free ? 'permit' : full))
    acquire('a')
    acquire('late', { againInMs: 4_000 })
    acquire('soon', { againInMs: 2_000 })
    acquire('b')
    await pass(3_000)
    expect(asked).not.toContain('late')
    free = true
    line.announcePlace(0)
    await pass(1)
    expect(asked.slice(-3)).toEqual(['soon', 'a', 'b'])
    expect(kinds()).not.toHaveProperty('late')
    await pass(1_001)
    expect(kinds()).toMatchObject({ late: 'permit' })
  })

  test('holds at most sixteen refused requests, for at most a quarter of an hour, and none when it stops', async () => {
    const { acquire, pass, outcomes, kinds } = scene(() => full)
    const stop = new AbortController()
    acquire('weeks', { againInMs: 7 * 86_400_000 })
    for (let i = 0; i < 17; i += 1) acquire(`${i}`, { againInMs: 600_000, until: stop.signal })
    await pass(1)
    expect(outcomes.get('weeks')).toMatchObject({ kind: 'wait', waitMs: 7 * 86_400_000 })
    expect(outcomes.get('16')).toMatchObject({ kind: 'wait', waitMs: 600_000 })
    expect(Object.keys(kinds())).toHaveLength(2)
    stop.abort()
    await pass(1)
    expect(Object.keys(kinds())).toHaveLength(18)
  })

  test('rejects all waiting requests when Redis fails, and when the line is closed', async () => {
    const failing = scene(() => full, { ask: () => Promise.reject(new Error('Redis is away')) })
    for (const key of ['a', 'b']) failing.acquire(key)
    await failing.pass(1)
    expect(failing.kinds()).toEqual({ a: 'error', b: 'error' })
    const { line, acquire, pass, kinds } = scene(() => full)
    acquire('c')
    await pass(1)
    line.close(new Error('the gate of this process was closed'))
    await pass(1)
    expect([kinds(), line.length]).toEqual([{ c: 'error' }, 0])
  })
})
