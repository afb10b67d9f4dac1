import { describe, expect, test } from 'vitest'
import { type Reading, ReadWindow } from '#src/ingest/document/read-window.ts'
import { SimulatedTime } from '../../../bench/limiter/simulated-time.ts'
import { elapse } from '../../support/wait.ts'

const signal = new AbortController().signal
const idle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

function scene(patienceMs = 60_000) {
  const clock = { now: 1_000 }
  const window = new ReadWindow(() => clock.now, patienceMs)
  const read = new Map<string, Reading | null>()
  const enter = (key: string, until?: AbortSignal): void =>
    void window.enter(signal, until).then((reading) => read.set(key, reading))
  const pass = async (key: string, ms: number): Promise<void> => {
    clock.now += ms
    const reading = read.get(key)
    reading?.onRead()
    reading?.onPermit()
    await idle()
  }
  return { window, read, enter, pass, clock }
}

describe('documents read ahead of their permits', () => {
  test('are one at a time while their process gets few permits', async () => {
    const { read, enter, pass } = scene()
    for (const key of ['a', 'b', 'c']) enter(key)
    await idle()
    expect([...read.keys()]).toEqual(['a'])
    await pass('a', 5_000)
    await pass('b', 5_000)
    expect([...read.keys()]).toEqual(['a', 'b', 'c'])
  })

  test('are as many as the permits of their process during a few reads', async () => {
    const { read, enter, pass } = scene()
    for (let i = 0; i < 60; i += 1) enter(`${i}`)
    await idle()
    for (let i = 0; i < 20; i += 1) await pass(`${i}`, 10)
    // A permit each 10 ms, and at least a quarter of a second ahead: as many as it got.
    expect(read.size).toBe(40)
  })

  test('need no permit when their answer was bought before, and let the next be read', async () => {
    const { read, enter, clock } = scene()
    for (const key of ['a', 'b', 'c']) enter(key)
    for (const key of ['a', 'b']) {
      await idle()
      clock.now += 3_000
      read.get(key)?.[Symbol.dispose]()
    }
    await idle()
    expect([...read.keys()]).toEqual(['a', 'b', 'c'])
  })

  test('return to the queue unread after their patience, except the first two', async () => {
    const { read, enter, window } = scene(20)
    for (const key of ['a', 'b', 'c', 'd', 'e']) enter(key)
    await expect.poll(() => [read.get('d'), read.get('e')], { timeout: 60_000 }).toEqual([null, null])
    expect(window.length).toBe(2)
  })

  test('return to the queue unread when the process stops', async () => {
    const { read, enter } = scene()
    const stop = new AbortController()
    for (const key of ['a', 'b']) enter(key, stop.signal)
    stop.abort()
    await idle()
    expect(read.get('a')).not.toBeNull()
    expect(read.get('b')).toBeNull()
  })

  test('let others be read while their source stalls', async () => {
    const { read, enter } = scene()
    for (const key of ['a', 'b']) enter(key)
    await elapse(5_200, 'a read that is not done by then has stalled')
    expect([...read.keys()]).toEqual(['a', 'b'])
  })
})

test.each([5, 100, 500, 2_000, 4_900])(
  'documents that need no permit fill the slots of a process, at %i ms each',
  async (busyMs) => {
    const time = new SimulatedTime()
    const window = new ReadWindow(() => time.now, 3_600_000)
    const stop = new AbortController()
    const slots = 50
    let done = 0
    const slot = async (): Promise<void> => {
      while (!stop.signal.aborted) {
        using reading = await window.enter(stop.signal)
        if (reading === null) return
        await new Promise<void>((resolve) => time.after(busyMs, resolve))
        done += 1
      }
    }
    for (let i = 0; i < slots; i += 1) void slot().catch(() => undefined)
    await idle()
    await time.runUntil(100 * busyMs + 2_000, idle)
    stop.abort()
    // All slots would do 100 rounds; the window takes some of them to grow.
    expect(done).toBeGreaterThan(0.7 * slots * 100)
  },
)
