import { describe, expect, test } from 'vitest'
import type { Admission, Permit, Ticket, Turn } from '#src/gate/admission.ts'
import { Throughput } from '#src/gate/throughput.ts'
import { UnreadLine, type UnreadLineOptions } from '#src/gate/unread-line.ts'
import { SimulatedTime } from '../../bench/gate/sim/simulated-time.ts'

const signal = new AbortController().signal
const ticket = (key: string): Ticket => ({ key })
const permit = (key: string): Permit => ({ id: key, key, enteredAt: 0, ahead: 0, seq: 1, done: 0, bound: false })
const WAIT = { kind: 'wait', waitMs: 5_000, reason: 'the rate limit is reached' } as const

/** A line whose gate admits a document for each call of `admit`, in the order of asking. */
function scene(options: Partial<UnreadLineOptions> = {}) {
  const asking: { ticket: Ticket; resolve: (admission: Admission) => void }[] = []
  const given: string[] = []
  const read: string[] = []
  const clock = { now: 1_000 }
  const line = new UnreadLine({
    join: (asked, _signal) =>
      new Promise((resolve) => {
        const goBack = (): void => resolve(WAIT)
        asked.until?.addEventListener('abort', goBack)
        asking.push({ ticket: asked, resolve })
      }),
    giveBack: async ({ key }) => void given.push(key),
    notNow: () => WAIT,
    isLimited: () => true,
    patienceMs: 60_000,
    now: () => clock.now,
    ...options,
  })
  const turns = new Map<string, Turn>()
  const approach = (key: string): Promise<unknown> =>
    line.approach(ticket(key), signal).then((turn) => {
      if (turn.kind !== 'turn') return turn
      read.push(key)
      turns.set(key, turn)
      return turn
    })
  const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))
  const admit = async (): Promise<void> => {
    const first = asking.shift()
    first?.resolve({ kind: 'admitted', permit: permit(first.ticket.key) })
    await settled()
  }
  return { line, approach, admit, settled, asking, given, read, turns, clock }
}

describe('unread documents of a process', () => {
  test('are read with their permit, one by one, while the process gets few', async () => {
    const { approach, admit, settled, read, turns, clock, asking } = scene()
    for (const key of ['a', 'b', 'c']) void approach(key)
    await settled()
    expect([read, asking.length]).toEqual([[], 1])
    for (const key of ['a', 'b', 'c']) {
      clock.now += 5_000
      await admit()
      expect(read.at(-1)).toBe(key)
      expect(turns.get(key)?.takePermit()).toMatchObject({ key })
    }
    expect(read).toEqual(['a', 'b', 'c'])
  })

  test('are read ahead while the process gets many, and no more than it got', async () => {
    const { approach, admit, settled, read, turns } = scene()
    for (let i = 0; i < 20; i += 1) void approach(`${i}`)
    await settled()
    await admit()
    await admit()
    // Two permits within a moment: two are read with them, two ahead.
    expect(read).toHaveLength(4)
    for (const key of ['2', '3']) {
      expect(turns.get(key)?.takePermit()).toBeNull()
      turns.get(key)?.admitted()
    }
    await settled()
    expect(read).toHaveLength(8)
  })

  test('are read without a permit, one at a time, while an outage or a halt may last', async () => {
    let isLimited = true
    const { line, approach, settled, read, turns } = scene({ isLimited: () => isLimited })
    for (const key of ['a', 'b', 'c']) void approach(key)
    await settled()
    isLimited = false
    line.heardOfNoLimit()
    await settled()
    expect(read).toEqual(['a'])
    expect(turns.get('a')?.takePermit()).toBeNull()
    await turns.get('a')?.[Symbol.asyncDispose]()
    await settled()
    expect(read).toEqual(['a', 'b'])
  })

  test('are read without a permit where they are to be the probe of a pause', async () => {
    const { approach, settled, read, turns, asking } = scene()
    for (const key of ['a', 'b']) void approach(key)
    await settled()
    expect(asking[0]?.ticket.unread).toBe(true)
    asking.shift()?.resolve({ ...WAIT, readFirst: true })
    await settled()
    expect(read).toEqual(['a'])
    expect(turns.get('a')?.takePermit()).toBeNull()
  })

  test('have permits that count from the end of the read', async () => {
    const { approach, admit, settled, turns, clock } = scene()
    void approach('a')
    await settled()
    await admit()
    clock.now += 300
    expect(turns.get('a')?.takePermit()).toMatchObject({ enteredAt: 300 })
    expect(turns.get('a')?.takePermit()).toBeNull()
  })

  test('need no further permit behind a document that needed none, whose permit is released', async () => {
    const { approach, admit, settled, read, turns, given, asking } = scene()
    for (const key of ['a', 'b', 'c']) void approach(key)
    await settled()
    await admit()
    await turns.get('a')?.[Symbol.asyncDispose]()
    expect(given).toEqual(['a'])
    // `b` had asked before it was known that `a` needs none.
    await admit()
    await turns.get('b')?.[Symbol.asyncDispose]()
    await settled()
    expect([read, asking.length]).toEqual([['a', 'b', 'c'], 0])
  })

  test('go back unread when the process stops, and leave no permit behind', async () => {
    const { line, settled, asking, given } = scene()
    const stop = new AbortController()
    const all = ['a', 'b'].map((key) => line.approach({ ...ticket(key), until: stop.signal }, signal))
    await settled()
    // The permit is on its way when the process stops.
    asking[0]?.resolve({ kind: 'admitted', permit: permit('a') })
    stop.abort()
    const [first, second] = await Promise.all(all)
    expect(second).toEqual(WAIT)
    if (first?.kind !== 'turn') throw new Error('the permit was lost')
    await first[Symbol.asyncDispose]()
    expect([given, line.length]).toEqual([['a'], 0])
  })

  test('go back unread after their patience, but for the first two', async () => {
    const { approach, line } = scene({ patienceMs: 20 })
    const all = ['a', 'b', 'c', 'd', 'e'].map(approach)
    expect(await Promise.all(all.slice(3))).toEqual([WAIT, WAIT])
    // One more asks the gate.
    expect(line.length).toBe(2)
  })

  test('fail one by one when the gate cannot be asked', async () => {
    const { approach } = scene({ join: () => Promise.reject(new Error('Redis is away')) })
    const all = await Promise.allSettled(['a', 'b'].map(approach))
    expect(all.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
  })
})

test.each([5, 100, 500, 2_000, 20_000])(
  'documents that need no permit fill the slots of a process, at %i ms each',
  async (busyMs) => {
    const time = new SimulatedTime()
    const slots = 50
    const rounds = 100
    const stop = new AbortController()
    const join = async ({ key }: Ticket): Promise<Admission> => ({ kind: 'admitted', permit: permit(key) })
    const { line } = scene({ join, now: () => time.now, patienceMs: 3_600_000 })
    let done = 0
    const documents = async (slot: number): Promise<void> => {
      for (let number = 0; ; number += 1) {
        const turn = await line.approach(ticket(`${slot}-${number}`), stop.signal)
        if (turn.kind !== 'turn') throw new Error('it waits for a limit that is not there')
        await new Promise<void>((resolve) => time.after(busyMs, resolve))
        await turn[Symbol.asyncDispose]()
        done += 1
      }
    }
    for (let slot = 0; slot < slots; slot += 1) void documents(slot).catch(() => undefined)
    for (let round = 0; round < rounds; round += 1) {
      await new Promise(setImmediate)
      await time.runUntil(time.now + busyMs)
    }
    stop.abort()
    // The first rounds find out that no permit is needed.
    expect(done).toBeGreaterThan(0.8 * slots * rounds)
  },
)

describe('the throughput of a process', () => {
  test('allows no document ahead of slow permits, and as many as come in the time of four reads', () => {
    const slow = new Throughput()
    for (let i = 0; i < 30; i += 1) slow.passed(i * 300)
    expect(slow.readAhead(29 * 300)).toBe(0)
    const steady = new Throughput()
    for (let i = 0; i <= 100; i += 1) steady.passed(i * 100)
    expect(steady.readAhead(10_000)).toBe(2)
    for (let i = 0; i < 40; i += 1) steady.readTook(500)
    expect(steady.readAhead(10_000)).toBe(19)
    expect(steady.readAhead(15_000)).toBeLessThan(12)
    expect(steady.readAhead(60_000)).toBe(0)
  })
})
